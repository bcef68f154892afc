-- Relationships that memories state. A row is readable like its memory, moves with it and goes with
-- it. Its names stand in the entities of the memory.

ALTER TABLE memories_statedrelation ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_statedrelation FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_statedrelation
    ADD CONSTRAINT memories_statedrelation_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_statedrelation_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_statedrelation_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
CREATE POLICY memories_statedrelation_app_select ON memories_statedrelation FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_statedrelation_app_insert ON memories_statedrelation FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_statedrelation_app_update ON memories_statedrelation FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_statedrelation_app_delete ON memories_statedrelation FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_statedrelation_worker_select ON memories_statedrelation FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_statedrelation_worker_insert ON memories_statedrelation FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_statedrelation_worker_update ON memories_statedrelation FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_statedrelation_worker_delete ON memories_statedrelation FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_statedrelation TO commonmind_worker;
-- What belongs to a lesson of a profession has days in the place of times.
CREATE TRIGGER memories_statedrelation_days
    BEFORE INSERT OR UPDATE OF stated_at ON memories_statedrelation
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('stated_at');
