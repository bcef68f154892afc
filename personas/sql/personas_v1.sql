-- Personas, who has them, and their blocks. Who has which persona and that a block is there is known
-- in the organisation, as robots are; the services say who is told. The lines of blocks are memories,
-- and what points to one is readable like it.

ALTER TABLE personas_persona ADD CONSTRAINT personas_persona_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_association ADD CONSTRAINT personas_association_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_block ADD CONSTRAINT personas_block_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_blockline ADD CONSTRAINT personas_blockline_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_blockversion ADD CONSTRAINT personas_blockversion_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_blockrobot ADD CONSTRAINT personas_blockrobot_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_suggestion ADD CONSTRAINT personas_suggestion_tenant UNIQUE (organisation_id, id);
ALTER TABLE personas_persona
    ADD CONSTRAINT personas_persona_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE personas_association
    ADD CONSTRAINT personas_association_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_association_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_association_persona_id_fk
        FOREIGN KEY (organisation_id, persona_id)
        REFERENCES personas_persona (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_association_confirmed_by_id_fk
        FOREIGN KEY (organisation_id, confirmed_by_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (confirmed_by_id),
    ADD CONSTRAINT personas_association_proposed_by_id_fk
        FOREIGN KEY (organisation_id, proposed_by_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE SET NULL (proposed_by_id);
CREATE INDEX personas_association_persona_id_back ON personas_association (organisation_id, persona_id);
CREATE INDEX personas_association_confirmed_by_id_back ON personas_association (organisation_id, confirmed_by_id) WHERE confirmed_by_id IS NOT NULL;
CREATE INDEX personas_association_proposed_by_id_back ON personas_association (organisation_id, proposed_by_id) WHERE proposed_by_id IS NOT NULL;
ALTER TABLE personas_block
    ADD CONSTRAINT personas_block_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_block_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_block_persona_id_fk
        FOREIGN KEY (organisation_id, persona_id)
        REFERENCES personas_persona (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX personas_block_member_id_back ON personas_block (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX personas_block_persona_id_back ON personas_block (organisation_id, persona_id) WHERE persona_id IS NOT NULL;
ALTER TABLE personas_blockline
    ADD CONSTRAINT personas_blockline_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_blockline_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT personas_blockline_block_id_fk
        FOREIGN KEY (organisation_id, block_id)
        REFERENCES personas_block (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX personas_blockline_memory_id_back ON personas_blockline (organisation_id, memory_id);
ALTER TABLE personas_blockversion
    ADD CONSTRAINT personas_blockversion_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_blockversion_block_id_fk
        FOREIGN KEY (organisation_id, block_id)
        REFERENCES personas_block (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_blockversion_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (member_id),
    ADD CONSTRAINT personas_blockversion_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE SET NULL (robot_id);
CREATE INDEX personas_blockversion_member_id_back ON personas_blockversion (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX personas_blockversion_robot_id_back ON personas_blockversion (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
ALTER TABLE personas_blockrobot
    ADD CONSTRAINT personas_blockrobot_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_blockrobot_block_id_fk
        FOREIGN KEY (organisation_id, block_id)
        REFERENCES personas_block (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_blockrobot_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX personas_blockrobot_robot_id_back ON personas_blockrobot (organisation_id, robot_id);
ALTER TABLE personas_suggestion
    ADD CONSTRAINT personas_suggestion_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_suggestion_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT personas_suggestion_persona_id_fk
        FOREIGN KEY (organisation_id, persona_id)
        REFERENCES personas_persona (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT personas_suggestion_made_id_fk
        FOREIGN KEY (organisation_id, made_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE SET NULL (made_id),
    ADD CONSTRAINT personas_suggestion_decided_by_id_fk
        FOREIGN KEY (organisation_id, decided_by_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (decided_by_id);
CREATE INDEX personas_suggestion_made_id_back ON personas_suggestion (organisation_id, made_id) WHERE made_id IS NOT NULL;
CREATE INDEX personas_suggestion_decided_by_id_back ON personas_suggestion (organisation_id, decided_by_id) WHERE decided_by_id IS NOT NULL;

ALTER TABLE personas_persona ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_persona FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_persona_app_select ON personas_persona FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_persona_app_insert ON personas_persona FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_persona_app_update ON personas_persona FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_persona_app_delete ON personas_persona FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_persona_worker_select ON personas_persona FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_persona_worker_update ON personas_persona FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, handle, industry, role, description, kpis, motivations, queries) ON personas_persona TO commonmind_worker;
GRANT UPDATE (industry, role, description, kpis, motivations, queries) ON personas_persona TO commonmind_worker;

ALTER TABLE personas_association ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_association FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_association_app_select ON personas_association FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_association_app_insert ON personas_association FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_association_app_update ON personas_association FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_association_app_delete ON personas_association FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_association_worker_select ON personas_association FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_association_worker_delete ON personas_association FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, member_id, persona_id, confirmed_at) ON personas_association TO commonmind_worker;
GRANT DELETE ON personas_association TO commonmind_worker;

ALTER TABLE personas_block ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_block FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_block_app_select ON personas_block FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_block_app_insert ON personas_block FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_block_app_update ON personas_block FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_block_app_delete ON personas_block FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_block_worker_select ON personas_block FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_block_worker_update ON personas_block FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, layer, member_id, persona_id, own_text) ON personas_block TO commonmind_worker;
GRANT UPDATE (own_text) ON personas_block TO commonmind_worker;

ALTER TABLE personas_blockline ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_blockline FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_blockline_app_select ON personas_blockline FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_blockline_app_insert ON personas_blockline FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_blockline_app_update ON personas_blockline FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_blockline_app_delete ON personas_blockline FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_blockline_worker_select ON personas_blockline FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockline_worker_insert ON personas_blockline FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockline_worker_update ON personas_blockline FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockline_worker_delete ON personas_blockline FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON personas_blockline TO commonmind_worker;

ALTER TABLE personas_blockversion ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_blockversion FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_blockversion_app_select ON personas_blockversion FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockversion_app_insert ON personas_blockversion FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockversion_app_update ON personas_blockversion FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockversion_app_delete ON personas_blockversion FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockversion_worker_select ON personas_blockversion FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockversion_worker_update ON personas_blockversion FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, block_id, own_text) ON personas_blockversion TO commonmind_worker;
GRANT UPDATE (own_text) ON personas_blockversion TO commonmind_worker;

ALTER TABLE personas_blockrobot ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_blockrobot FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_blockrobot_app_select ON personas_blockrobot FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockrobot_app_insert ON personas_blockrobot FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockrobot_app_update ON personas_blockrobot FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_blockrobot_app_delete ON personas_blockrobot FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);

ALTER TABLE personas_suggestion ENABLE ROW LEVEL SECURITY;
ALTER TABLE personas_suggestion FORCE ROW LEVEL SECURITY;
CREATE POLICY personas_suggestion_app_select ON personas_suggestion FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_suggestion_app_insert ON personas_suggestion FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_suggestion_app_update ON personas_suggestion FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_suggestion_app_delete ON personas_suggestion FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY personas_suggestion_worker_select ON personas_suggestion FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_suggestion_worker_insert ON personas_suggestion FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_suggestion_worker_update ON personas_suggestion FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY personas_suggestion_worker_delete ON personas_suggestion FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON personas_suggestion TO commonmind_worker;
