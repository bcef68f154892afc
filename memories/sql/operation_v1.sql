-- What was done with which memory; docs/adr/0016-operations.md says why it is a row for each hit.
-- Written once by the application. A line is readable like its memory and goes with it; the worker
-- removes what is older than the setting OPERATIONS_DAYS.

ALTER TABLE memories_operation
    ADD CONSTRAINT memories_operation_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_operation_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_operation_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id) REFERENCES robots_robot (organisation_id, id);
ALTER TABLE memories_operation ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_operation FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_operation_app_select ON memories_operation FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_operation_app_insert ON memories_operation FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])) OR (audience_id = ANY ((SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[])::uuid[]))));
REVOKE UPDATE, DELETE ON memories_operation FROM commonmind_app;
CREATE POLICY memories_operation_worker_select ON memories_operation FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_operation_worker_delete ON memories_operation FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, DELETE ON memories_operation TO commonmind_worker;
