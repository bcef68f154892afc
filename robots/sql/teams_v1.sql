-- Teams of robots: who is in which is known in the organisation, as robots are. What a team's
-- audience holds is protected by the policies of those tables.

ALTER TABLE robots_team ADD CONSTRAINT robots_team_tenant UNIQUE (organisation_id, id);
ALTER TABLE robots_teamrobot ADD CONSTRAINT robots_teamrobot_tenant UNIQUE (organisation_id, id);
-- A heartbeat changes none of the indexed columns: the change stays on its page.
ALTER TABLE robots_teamrobot SET (fillfactor = 70);
ALTER TABLE robots_team
    ADD CONSTRAINT robots_team_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE robots_teamrobot
    ADD CONSTRAINT robots_teamrobot_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_teamrobot_team_id_fk
        FOREIGN KEY (organisation_id, team_id)
        REFERENCES robots_team (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_teamrobot_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX robots_teamrobot_robot_id_back ON robots_teamrobot (organisation_id, robot_id);
ALTER TABLE robots_team ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_team FORCE ROW LEVEL SECURITY;
CREATE POLICY robots_team_app_select ON robots_team FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_team_app_insert ON robots_team FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_team_app_update ON robots_team FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_team_app_delete ON robots_team FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
ALTER TABLE robots_teamrobot ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_teamrobot FORCE ROW LEVEL SECURITY;
CREATE POLICY robots_teamrobot_app_select ON robots_teamrobot FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_teamrobot_app_insert ON robots_teamrobot FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_teamrobot_app_update ON robots_teamrobot FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_teamrobot_app_delete ON robots_teamrobot FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
