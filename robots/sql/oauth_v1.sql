-- What members allowed OAuth clients. It goes with the member; the key by which the client acts stays,
-- revoked, with what was written by it.

ALTER TABLE robots_oauthgrant
    ADD CONSTRAINT robots_oauthgrant_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT robots_oauthgrant_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_oauthgrant_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_oauthgrant_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_oauthgrant_key_id_fk
        FOREIGN KEY (organisation_id, key_id)
        REFERENCES robots_key (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX robots_oauthgrant_member_id_back ON robots_oauthgrant (organisation_id, member_id);
CREATE INDEX robots_oauthgrant_robot_id_back
    ON robots_oauthgrant (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
CREATE INDEX robots_oauthgrant_key_id_back
    ON robots_oauthgrant (organisation_id, key_id) WHERE key_id IS NOT NULL;

ALTER TABLE robots_oauthgrant ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_oauthgrant FORCE ROW LEVEL SECURITY;
CREATE POLICY robots_oauthgrant_app_select ON robots_oauthgrant FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_oauthgrant_app_insert ON robots_oauthgrant FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_oauthgrant_app_update ON robots_oauthgrant FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_oauthgrant_app_delete ON robots_oauthgrant FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
-- The worker deletes them with their member, and hides other people's names in how clients call themselves.
CREATE POLICY robots_oauthgrant_worker_select ON robots_oauthgrant FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_oauthgrant_worker_update ON robots_oauthgrant FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_oauthgrant_worker_delete ON robots_oauthgrant FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, member_id, client_name) ON robots_oauthgrant TO commonmind_worker;
GRANT UPDATE (client_name) ON robots_oauthgrant TO commonmind_worker;
GRANT DELETE ON robots_oauthgrant TO commonmind_worker;
