-- Who may read and change what of robots, keys and conversations.
-- A file of this folder never changes once it is released: a change is a new file.

-- What foreign keys with the organisation in them refer to.

ALTER TABLE robots_conversation ADD CONSTRAINT robots_conversation_tenant UNIQUE (organisation_id, id);
ALTER TABLE robots_delegation ADD CONSTRAINT robots_delegation_tenant UNIQUE (organisation_id, id);
ALTER TABLE robots_identitylink ADD CONSTRAINT robots_identitylink_tenant UNIQUE (organisation_id, id);
ALTER TABLE robots_key ADD CONSTRAINT robots_key_tenant UNIQUE (organisation_id, id);
ALTER TABLE robots_message ADD CONSTRAINT robots_message_tenant UNIQUE (organisation_id, id);
ALTER TABLE robots_robot ADD CONSTRAINT robots_robot_tenant UNIQUE (organisation_id, id);
ALTER TABLE robots_robotgroup ADD CONSTRAINT robots_robotgroup_tenant UNIQUE (organisation_id, id);

-- robots_conversation

ALTER TABLE robots_conversation ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_conversation FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_conversation
    ADD CONSTRAINT robots_conversation_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience(organisation_id, id),
    ADD CONSTRAINT robots_conversation_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id),
    ADD CONSTRAINT robots_conversation_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT robots_conversation_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_conversation_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id);
CREATE INDEX robots_conversation_group_id_back ON robots_conversation (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX robots_conversation_member_id_back ON robots_conversation (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE POLICY robots_conversation_app_select ON robots_conversation FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY robots_conversation_app_insert ON robots_conversation FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY robots_conversation_app_update ON robots_conversation FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY robots_conversation_app_delete ON robots_conversation FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY robots_conversation_support_select ON robots_conversation FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, created_at, group_id, organisation_id) ON robots_conversation TO commonmind_support;

-- robots_delegation

ALTER TABLE robots_delegation ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_delegation FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_delegation
    ADD CONSTRAINT robots_delegation_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_delegation_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_delegation_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id) ON DELETE CASCADE;
CREATE INDEX robots_delegation_member_id_back ON robots_delegation (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE POLICY robots_delegation_app_select ON robots_delegation FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_delegation_app_insert ON robots_delegation FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_delegation_app_update ON robots_delegation FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_delegation_app_delete ON robots_delegation FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);

-- robots_identitylink

ALTER TABLE robots_identitylink ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_identitylink FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_identitylink
    ADD CONSTRAINT robots_identitylink_identity_id_fk
        FOREIGN KEY (organisation_id, identity_id)
        REFERENCES orgs_externalidentity(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_identitylink_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_identitylink_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id) ON DELETE CASCADE;
CREATE POLICY robots_identitylink_app_select ON robots_identitylink FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_identitylink_app_insert ON robots_identitylink FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_identitylink_app_update ON robots_identitylink FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_identitylink_app_delete ON robots_identitylink FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);

-- robots_key

ALTER TABLE robots_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_key FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_key
    ADD CONSTRAINT robots_key_created_by_id_fk
        FOREIGN KEY (organisation_id, created_by_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (created_by_id),
    ADD CONSTRAINT robots_key_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_key_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id) ON DELETE CASCADE;
CREATE INDEX robots_key_created_by_id_back ON robots_key (organisation_id, created_by_id) WHERE created_by_id IS NOT NULL;
CREATE POLICY robots_key_app_select ON robots_key FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_key_app_insert ON robots_key FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_key_app_update ON robots_key FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_key_app_delete ON robots_key FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_key_support_select ON robots_key FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, prefix, scopes, label, created_at, expires_at, revoked_at, last_used_at, organisation_id, robot_id) ON robots_key TO commonmind_support;

-- robots_message

ALTER TABLE robots_message ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_message FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_message
    ADD CONSTRAINT robots_message_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience(organisation_id, id),
    ADD CONSTRAINT robots_message_author_id_fk
        FOREIGN KEY (organisation_id, author_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT robots_message_conversation_id_fk
        FOREIGN KEY (organisation_id, conversation_id)
        REFERENCES robots_conversation(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_message_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_message_reply_to_id_fk
        FOREIGN KEY (organisation_id, reply_to_id)
        REFERENCES robots_message(organisation_id, id) ON DELETE SET NULL (reply_to_id),
    ADD CONSTRAINT robots_message_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id),
    ADD CONSTRAINT robots_message_speaker_member_id_fk
        FOREIGN KEY (organisation_id, speaker_member_id)
        REFERENCES orgs_member(organisation_id, id);
CREATE INDEX robots_message_audience_id_back ON robots_message (organisation_id, audience_id) WHERE audience_id IS NOT NULL;
CREATE INDEX robots_message_author_id_back ON robots_message (organisation_id, author_id) WHERE author_id IS NOT NULL;
CREATE INDEX robots_message_reply_to_id_back ON robots_message (organisation_id, reply_to_id) WHERE reply_to_id IS NOT NULL;
CREATE POLICY robots_message_app_select ON robots_message FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY robots_message_app_insert ON robots_message FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY robots_message_app_update ON robots_message FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY robots_message_app_delete ON robots_message FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));

-- robots_robot

ALTER TABLE robots_robot ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_robot FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_robot
    ADD CONSTRAINT robots_robot_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_robot_owner_id_fk
        FOREIGN KEY (organisation_id, owner_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (owner_id);
CREATE INDEX robots_robot_owner_id_back ON robots_robot (organisation_id, owner_id) WHERE owner_id IS NOT NULL;
CREATE POLICY robots_robot_app_select ON robots_robot FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_robot_app_insert ON robots_robot FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_robot_app_update ON robots_robot FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_robot_app_delete ON robots_robot FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_robot_support_select ON robots_robot FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, name, builtin, created_at, last_active_at, retired_at, organisation_id) ON robots_robot TO commonmind_support;

-- robots_robotgroup

ALTER TABLE robots_robotgroup ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_robotgroup FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_robotgroup
    ADD CONSTRAINT robots_robotgroup_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_robotgroup_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_robotgroup_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id) ON DELETE CASCADE;
CREATE INDEX robots_robotgroup_group_id_back ON robots_robotgroup (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE POLICY robots_robotgroup_app_select ON robots_robotgroup FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_robotgroup_app_insert ON robots_robotgroup FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_robotgroup_app_update ON robots_robotgroup FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_robotgroup_app_delete ON robots_robotgroup FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
