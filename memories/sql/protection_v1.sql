-- Who may read and change what of memories and of what belongs to them.
-- A file of this folder never changes once it is released: a change is a new file.

-- What foreign keys with the organisation in them refer to.

ALTER TABLE memories_derivation ADD CONSTRAINT memories_derivation_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_disclosure ADD CONSTRAINT memories_disclosure_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_job ADD CONSTRAINT memories_job_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_memory ADD CONSTRAINT memories_memory_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_proposal ADD CONSTRAINT memories_proposal_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_recall ADD CONSTRAINT memories_recall_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_savedview ADD CONSTRAINT memories_savedview_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_version ADD CONSTRAINT memories_version_tenant UNIQUE (organisation_id, id);

-- memories_contribution

ALTER TABLE memories_contribution ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_contribution FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_contribution
    ADD CONSTRAINT memories_contribution_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_contribution_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_contribution_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_contribution_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id);
CREATE INDEX memories_contribution_member_id_back ON memories_contribution (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE POLICY memories_contribution_app_select ON memories_contribution FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_contribution_app_insert ON memories_contribution FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_contribution_app_update ON memories_contribution FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_contribution_app_delete ON memories_contribution FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_contribution_support_select ON memories_contribution FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_contribution_worker_select ON memories_contribution FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_contribution_worker_insert ON memories_contribution FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_contribution_worker_update ON memories_contribution FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_contribution_worker_delete ON memories_contribution FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, first_at, last_at, count, organisation_id, robot_id, memory_id) ON memories_contribution TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_contribution TO commonmind_worker;

-- memories_derivation

ALTER TABLE memories_derivation ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_derivation FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_derivation
    ADD CONSTRAINT memories_derivation_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_derivation_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_derivation_source_fk
        FOREIGN KEY (organisation_id, source_id, source_audience_id, source_kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE;
CREATE POLICY memories_derivation_app_select ON memories_derivation FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) AND (source_audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_derivation_app_insert ON memories_derivation FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))) AND (source_audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_derivation_app_update ON memories_derivation FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) AND (source_audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) AND (source_audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_derivation_app_delete ON memories_derivation FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) AND (source_audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_derivation_support_select ON memories_derivation FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_derivation_worker_select ON memories_derivation FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_derivation_worker_insert ON memories_derivation FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_derivation_worker_update ON memories_derivation FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_derivation_worker_delete ON memories_derivation FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, created_at, memory_id, organisation_id, source_id) ON memories_derivation TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_derivation TO commonmind_worker;

-- memories_disclosure

ALTER TABLE memories_disclosure ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_disclosure FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_disclosure
    ADD CONSTRAINT memories_disclosure_memory_id_fk
        FOREIGN KEY (organisation_id, memory_id)
        REFERENCES memories_memory(organisation_id, id) ON DELETE SET NULL (memory_id),
    ADD CONSTRAINT memories_disclosure_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX memories_disclosure_memory_id_back ON memories_disclosure (organisation_id, memory_id) WHERE memory_id IS NOT NULL;
CREATE POLICY memories_disclosure_app_select ON memories_disclosure FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_disclosure_app_insert ON memories_disclosure FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE, DELETE ON memories_disclosure FROM commonmind_app;

-- memories_edge

ALTER TABLE memories_edge ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_edge FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_edge
    ADD CONSTRAINT memories_edge_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_edge_other_id_fk
        FOREIGN KEY (organisation_id, other_id)
        REFERENCES memories_memory(organisation_id, id) ON DELETE CASCADE;
CREATE POLICY memories_edge_app_select ON memories_edge FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_edge_app_insert ON memories_edge FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_edge_app_update ON memories_edge FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_edge_app_delete ON memories_edge FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_edge_support_select ON memories_edge FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_edge_worker_select ON memories_edge FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_edge_worker_insert ON memories_edge FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_edge_worker_update ON memories_edge FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_edge_worker_delete ON memories_edge FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, relation, weight, inferred, observed_at, memory_id, organisation_id) ON memories_edge TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_edge TO commonmind_worker;

-- memories_embedding

ALTER TABLE memories_embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_embedding FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_embedding
    ADD CONSTRAINT memories_embedding_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id),
    ADD CONSTRAINT memories_embedding_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_embedding_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX memories_embedding_group_id_back ON memories_embedding (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE POLICY memories_embedding_app_select ON memories_embedding FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_embedding_app_insert ON memories_embedding FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_embedding_app_update ON memories_embedding FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_embedding_app_delete ON memories_embedding FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_embedding_worker_select ON memories_embedding FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_embedding_worker_insert ON memories_embedding FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_embedding_worker_update ON memories_embedding FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_embedding_worker_delete ON memories_embedding FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_embedding TO commonmind_worker;

-- memories_entity

ALTER TABLE memories_entity ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_entity FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_entity
    ADD CONSTRAINT memories_entity_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (member_id),
    ADD CONSTRAINT memories_entity_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE;
CREATE INDEX memories_entity_member_id_back ON memories_entity (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE POLICY memories_entity_app_select ON memories_entity FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_entity_app_insert ON memories_entity FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_entity_app_update ON memories_entity FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_entity_app_delete ON memories_entity FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_entity_support_select ON memories_entity FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_entity_worker_select ON memories_entity FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_entity_worker_insert ON memories_entity FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_entity_worker_update ON memories_entity FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_entity_worker_delete ON memories_entity FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, type, source, confidence, extracted_at, memory_id, organisation_id) ON memories_entity TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_entity TO commonmind_worker;

-- memories_job

ALTER TABLE memories_job ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_job FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_job
    ADD CONSTRAINT memories_job_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_job_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_job_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX memories_job_audience_id_back ON memories_job (organisation_id, audience_id) WHERE audience_id IS NOT NULL;
CREATE INDEX memories_job_member_id_back ON memories_job (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE POLICY memories_job_app_select ON memories_job FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_job_app_insert ON memories_job FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_job_app_update ON memories_job FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_job_app_delete ON memories_job FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_job_support_select ON memories_job FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_job_worker_select ON memories_job FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_job_worker_insert ON memories_job FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_job_worker_update ON memories_job FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_job_worker_delete ON memories_job FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, kind, state, done, total, attempts, created_at, organisation_id) ON memories_job TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_job TO commonmind_worker;

-- memories_memory

ALTER TABLE memories_memory SET (fillfactor = 85);
ALTER TABLE memories_memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_memory
    ADD CONSTRAINT memories_memory_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience(organisation_id, id),
    ADD CONSTRAINT memories_memory_author_id_fk
        FOREIGN KEY (organisation_id, author_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_memory_editor_id_fk
        FOREIGN KEY (organisation_id, editor_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_memory_editor_robot_id_fk
        FOREIGN KEY (organisation_id, editor_robot_id)
        REFERENCES robots_robot(organisation_id, id),
    ADD CONSTRAINT memories_memory_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id),
    ADD CONSTRAINT memories_memory_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_memory_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_memory_proposed_audience_id_fk
        FOREIGN KEY (organisation_id, proposed_audience_id)
        REFERENCES orgs_audience(organisation_id, id),
    ADD CONSTRAINT memories_memory_red_line_by_id_fk
        FOREIGN KEY (organisation_id, red_line_by_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_memory_reworded_by_id_fk
        FOREIGN KEY (organisation_id, reworded_by_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_memory_reworded_by_robot_id_fk
        FOREIGN KEY (organisation_id, reworded_by_robot_id)
        REFERENCES robots_robot(organisation_id, id),
    ADD CONSTRAINT memories_memory_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id),
    ADD CONSTRAINT memories_memory_speaker_member_id_fk
        FOREIGN KEY (organisation_id, speaker_member_id)
        REFERENCES orgs_member(organisation_id, id);
CREATE INDEX memories_memory_author_id_back ON memories_memory (organisation_id, author_id) WHERE author_id IS NOT NULL;
CREATE INDEX memories_memory_editor_id_back ON memories_memory (organisation_id, editor_id) WHERE editor_id IS NOT NULL;
CREATE INDEX memories_memory_group_id_back ON memories_memory (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX memories_memory_member_id_back ON memories_memory (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_memory_proposed_audience_id_back ON memories_memory (organisation_id, proposed_audience_id) WHERE proposed_audience_id IS NOT NULL;
CREATE INDEX memories_memory_red_line_by_id_back ON memories_memory (organisation_id, red_line_by_id) WHERE red_line_by_id IS NOT NULL;
CREATE INDEX memories_memory_reworded_by_id_back ON memories_memory (organisation_id, reworded_by_id) WHERE reworded_by_id IS NOT NULL;
CREATE INDEX memories_memory_reworded_by_robot_id_back ON memories_memory (organisation_id, reworded_by_robot_id) WHERE reworded_by_robot_id IS NOT NULL;
CREATE INDEX memories_memory_speaker_member_id_back ON memories_memory (organisation_id, speaker_member_id) WHERE speaker_member_id IS NOT NULL;
CREATE POLICY memories_memory_app_select ON memories_memory FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_memory_app_insert ON memories_memory FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_memory_app_update ON memories_memory FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_memory_app_delete ON memories_memory FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_memory_support_select ON memories_memory FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_memory_worker_select ON memories_memory FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_memory_worker_insert ON memories_memory FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_memory_worker_update ON memories_memory FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_memory_worker_delete ON memories_memory FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, content_hash, key, conversation, deposited_by, occurred_at, forgotten_by_subject, audience_id, organisation_id) ON memories_memory TO commonmind_searcher;
GRANT SELECT (id, status, kind, type, category, tier, importance, confidence, sensitive, shareable, red_line, access_count, last_accessed_at, remember_count, occurred_at, created_at, updated_at, expires_at, archived_at, forgotten_at, version, audience_id, group_id, member_id, organisation_id, robot_id) ON memories_memory TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_memory TO commonmind_worker;

-- memories_partition

ALTER TABLE memories_partition ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_partition FORCE ROW LEVEL SECURITY;
CREATE INDEX memories_partition_group_id_back ON memories_partition (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE POLICY memories_partition_app_select ON memories_partition FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_app_insert ON memories_partition FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_partition_app_update ON memories_partition FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_app_delete ON memories_partition FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_worker_select ON memories_partition FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_worker_insert ON memories_partition FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_worker_update ON memories_partition FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_worker_delete ON memories_partition FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_partition TO commonmind_worker;

-- memories_partition_group

ALTER TABLE memories_partition_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_partition_group FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_partition_group_app_select ON memories_partition_group FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_group_app_insert ON memories_partition_group FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_partition_group_app_update ON memories_partition_group FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_group_app_delete ON memories_partition_group FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_group_worker_select ON memories_partition_group FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_group_worker_insert ON memories_partition_group FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_group_worker_update ON memories_partition_group FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_group_worker_delete ON memories_partition_group FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_partition_group TO commonmind_worker;

-- memories_partition_interaction

ALTER TABLE memories_partition_interaction ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_partition_interaction FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_partition_interaction_app_select ON memories_partition_interaction FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_interaction_app_insert ON memories_partition_interaction FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_partition_interaction_app_update ON memories_partition_interaction FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_interaction_app_delete ON memories_partition_interaction FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_interaction_worker_select ON memories_partition_interaction FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_interaction_worker_insert ON memories_partition_interaction FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_interaction_worker_update ON memories_partition_interaction FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_interaction_worker_delete ON memories_partition_interaction FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_partition_interaction TO commonmind_worker;

-- memories_partition_user

ALTER TABLE memories_partition_user ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_partition_user FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_partition_user_app_select ON memories_partition_user FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_user_app_insert ON memories_partition_user FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_partition_user_app_update ON memories_partition_user FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_user_app_delete ON memories_partition_user FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_partition_user_worker_select ON memories_partition_user FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_user_worker_insert ON memories_partition_user FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_user_worker_update ON memories_partition_user FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_partition_user_worker_delete ON memories_partition_user FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_partition_user TO commonmind_worker;

-- memories_pending

ALTER TABLE memories_pending ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_pending FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_pending
    ADD CONSTRAINT memories_pending_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_pending_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE POLICY memories_pending_app_select ON memories_pending FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_pending_app_insert ON memories_pending FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_pending_app_update ON memories_pending FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_pending_app_delete ON memories_pending FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_pending_support_select ON memories_pending FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pending_worker_select ON memories_pending FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pending_worker_insert ON memories_pending FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pending_worker_update ON memories_pending FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pending_worker_delete ON memories_pending FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, state, attempts, reason, created_at, memory_id, organisation_id) ON memories_pending TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_pending TO commonmind_worker;

-- memories_pendingrestatement

ALTER TABLE memories_pendingrestatement ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_pendingrestatement FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_pendingrestatement
    ADD CONSTRAINT memories_pendingrestatement_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_pendingrestatement_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE POLICY memories_pendingrestatement_app_select ON memories_pendingrestatement FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_pendingrestatement_app_insert ON memories_pendingrestatement FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_pendingrestatement_app_update ON memories_pendingrestatement FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_pendingrestatement_app_delete ON memories_pendingrestatement FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_pendingrestatement_support_select ON memories_pendingrestatement FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pendingrestatement_worker_select ON memories_pendingrestatement FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pendingrestatement_worker_insert ON memories_pendingrestatement FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pendingrestatement_worker_update ON memories_pendingrestatement FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_pendingrestatement_worker_delete ON memories_pendingrestatement FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, state, attempts, created_at, memory_id, organisation_id) ON memories_pendingrestatement TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_pendingrestatement TO commonmind_worker;

-- memories_proposal

ALTER TABLE memories_proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_proposal FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_proposal
    ADD CONSTRAINT memories_proposal_assignee_id_fk
        FOREIGN KEY (organisation_id, assignee_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (assignee_id),
    ADD CONSTRAINT memories_proposal_decided_by_id_fk
        FOREIGN KEY (organisation_id, decided_by_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (decided_by_id),
    ADD CONSTRAINT memories_proposal_locked_by_id_fk
        FOREIGN KEY (organisation_id, locked_by_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (locked_by_id),
    ADD CONSTRAINT memories_proposal_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_proposal_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_proposal_other_id_fk
        FOREIGN KEY (organisation_id, other_id)
        REFERENCES memories_memory(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_proposal_proposed_by_id_fk
        FOREIGN KEY (organisation_id, proposed_by_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (proposed_by_id),
    ADD CONSTRAINT memories_proposal_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id) ON DELETE SET NULL (robot_id),
    ADD CONSTRAINT memories_proposal_target_audience_id_fk
        FOREIGN KEY (organisation_id, target_audience_id)
        REFERENCES orgs_audience(organisation_id, id) ON DELETE CASCADE;
CREATE INDEX memories_proposal_assignee_id_back ON memories_proposal (organisation_id, assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX memories_proposal_decided_by_id_back ON memories_proposal (organisation_id, decided_by_id) WHERE decided_by_id IS NOT NULL;
CREATE INDEX memories_proposal_locked_by_id_back ON memories_proposal (organisation_id, locked_by_id) WHERE locked_by_id IS NOT NULL;
CREATE INDEX memories_proposal_proposed_by_id_back ON memories_proposal (organisation_id, proposed_by_id) WHERE proposed_by_id IS NOT NULL;
CREATE INDEX memories_proposal_target_audience_id_back ON memories_proposal (organisation_id, target_audience_id) WHERE target_audience_id IS NOT NULL;
CREATE POLICY memories_proposal_app_select ON memories_proposal FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_proposal_app_insert ON memories_proposal FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_proposal_app_update ON memories_proposal FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_proposal_app_delete ON memories_proposal FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_proposal_support_select ON memories_proposal FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_proposal_worker_select ON memories_proposal FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_proposal_worker_insert ON memories_proposal FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_proposal_worker_update ON memories_proposal FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_proposal_worker_delete ON memories_proposal FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, cause, state, created_at, decided_at, assignee_id, decided_by_id, memory_id, organisation_id) ON memories_proposal TO commonmind_support;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_proposal TO commonmind_worker;

-- memories_recall

ALTER TABLE memories_recall ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_recall FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_recall
    ADD CONSTRAINT memories_recall_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience(organisation_id, id),
    ADD CONSTRAINT memories_recall_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id),
    ADD CONSTRAINT memories_recall_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_recall_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_recall_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot(organisation_id, id);
CREATE INDEX memories_recall_audience_id_back ON memories_recall (organisation_id, audience_id) WHERE audience_id IS NOT NULL;
CREATE INDEX memories_recall_group_id_back ON memories_recall (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX memories_recall_member_id_back ON memories_recall (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE POLICY memories_recall_app_select ON memories_recall FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_recall_app_insert ON memories_recall FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_recall_app_update ON memories_recall FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_recall_app_delete ON memories_recall FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_recall_support_select ON memories_recall FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, strategy, took_ms, created_at, organisation_id, robot_id) ON memories_recall TO commonmind_support;

-- memories_restatement

ALTER TABLE memories_restatement ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_restatement FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_restatement
    ADD CONSTRAINT memories_restatement_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_restatement_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE POLICY memories_restatement_app_select ON memories_restatement FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_restatement_app_insert ON memories_restatement FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_restatement_app_update ON memories_restatement FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_restatement_app_delete ON memories_restatement FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_restatement_worker_select ON memories_restatement FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_restatement_worker_insert ON memories_restatement FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_restatement_worker_update ON memories_restatement FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_restatement_worker_delete ON memories_restatement FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_restatement TO commonmind_worker;

-- memories_savedview

ALTER TABLE memories_savedview ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_savedview FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_savedview
    ADD CONSTRAINT memories_savedview_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_savedview_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_savedview_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX memories_savedview_audience_id_back ON memories_savedview (organisation_id, audience_id) WHERE audience_id IS NOT NULL;
CREATE POLICY memories_savedview_app_select ON memories_savedview FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_savedview_app_insert ON memories_savedview FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_savedview_app_update ON memories_savedview FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_savedview_app_delete ON memories_savedview FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));

-- memories_text

ALTER TABLE memories_text ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_text FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_text
    ADD CONSTRAINT memories_text_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id),
    ADD CONSTRAINT memories_text_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_text_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX memories_text_group_id_back ON memories_text (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE POLICY memories_text_app_select ON memories_text FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_text_app_insert ON memories_text FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_text_app_update ON memories_text FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_text_app_delete ON memories_text FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_text_worker_select ON memories_text FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_text_worker_insert ON memories_text FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_text_worker_update ON memories_text FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_text_worker_delete ON memories_text FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (lexemes, length, audience_id, memory_id, organisation_id) ON memories_text TO commonmind_searcher;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_text TO commonmind_worker;

-- memories_version

ALTER TABLE memories_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_version FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_version
    ADD CONSTRAINT memories_version_audience_then_id_fk
        FOREIGN KEY (organisation_id, audience_then_id)
        REFERENCES orgs_audience(organisation_id, id),
    ADD CONSTRAINT memories_version_editor_id_fk
        FOREIGN KEY (organisation_id, editor_id)
        REFERENCES orgs_member(organisation_id, id),
    ADD CONSTRAINT memories_version_editor_robot_id_fk
        FOREIGN KEY (organisation_id, editor_robot_id)
        REFERENCES robots_robot(organisation_id, id),
    ADD CONSTRAINT memories_version_group_then_id_fk
        FOREIGN KEY (organisation_id, group_then_id)
        REFERENCES orgs_group(organisation_id, id),
    ADD CONSTRAINT memories_version_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory(organisation_id, id, audience_id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_version_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX memories_version_audience_then_id_back ON memories_version (organisation_id, audience_then_id) WHERE audience_then_id IS NOT NULL;
CREATE INDEX memories_version_editor_id_back ON memories_version (organisation_id, editor_id) WHERE editor_id IS NOT NULL;
CREATE INDEX memories_version_group_then_id_back ON memories_version (organisation_id, group_then_id) WHERE group_then_id IS NOT NULL;
CREATE POLICY memories_version_app_select ON memories_version FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) AND (audience_then_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_version_app_insert ON memories_version FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))) AND (audience_then_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_version_support_select ON memories_version FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_version_worker_select ON memories_version FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_version_worker_insert ON memories_version FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE, DELETE ON memories_version FROM commonmind_app;
GRANT SELECT (id, number, written_at, replaced_at, memory_id, organisation_id) ON memories_version TO commonmind_support;
GRANT SELECT, INSERT ON memories_version TO commonmind_worker;
