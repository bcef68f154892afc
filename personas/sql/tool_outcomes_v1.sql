-- How calls of tools turned out, by persona, tool and day. The rows say nothing of a member, and
-- personas are known in the organisation; the services say of which persona figures are shown. No
-- worker needs them.
ALTER TABLE personas_tooloutcome ADD CONSTRAINT personas_tooloutcome_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_tooloutcome
    ADD CONSTRAINT personas_tooloutcome_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_tooloutcome_persona_id_fk
        FOREIGN KEY (organisation_id, persona_id)
        REFERENCES personas_persona (organisation_id, id) ON DELETE CASCADE;

ALTER TABLE personas_tooloutcome ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_tooloutcome FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_tooloutcome_app_select ON personas_tooloutcome FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_tooloutcome_app_insert ON personas_tooloutcome FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_tooloutcome_app_update ON personas_tooloutcome FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_tooloutcome_app_delete ON personas_tooloutcome FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
