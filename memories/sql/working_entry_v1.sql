-- Which memories a robot has at hand; docs/adr/0014-working-memory.md says why Postgres alone.
-- The row is readable like its owner's own notes. It gives no right to read the memory. It goes with
-- the memory alone: audiences go after memories when an organisation is removed.

-- A recall changes rows and none of their indexed columns: the change stays on its page.
ALTER TABLE memories_workingentry SET (fillfactor = 80);
ALTER TABLE memories_workingentry
    ADD CONSTRAINT memories_workingentry_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_workingentry_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_workingentry_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id) REFERENCES orgs_audience (organisation_id, id),
    ADD CONSTRAINT memories_workingentry_memory_id_fk
        FOREIGN KEY (organisation_id, memory_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE CASCADE;
ALTER TABLE memories_workingentry ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_workingentry FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_workingentry_app_select ON memories_workingentry FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_workingentry_app_insert ON memories_workingentry FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_workingentry_app_update ON memories_workingentry FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_workingentry_app_delete ON memories_workingentry FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
