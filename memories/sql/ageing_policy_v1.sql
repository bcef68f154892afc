-- What an organisation lets its workers do by themselves; says nothing of a memory.
ALTER TABLE memories_ageingpolicy
    ADD CONSTRAINT memories_ageingpolicy_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_ageingpolicy_changed_by_id_fk
        FOREIGN KEY (organisation_id, changed_by_id) REFERENCES orgs_member (organisation_id, id);
CREATE INDEX memories_ageingpolicy_changed_by_id_back
    ON memories_ageingpolicy (organisation_id, changed_by_id) WHERE changed_by_id IS NOT NULL;
ALTER TABLE memories_ageingpolicy ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_ageingpolicy FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_ageingpolicy_app_select ON memories_ageingpolicy FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_ageingpolicy_app_insert ON memories_ageingpolicy FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_ageingpolicy_app_update ON memories_ageingpolicy FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE DELETE ON memories_ageingpolicy FROM commonmind_app;
CREATE POLICY memories_ageingpolicy_worker_select ON memories_ageingpolicy FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT ON memories_ageingpolicy TO commonmind_worker;
