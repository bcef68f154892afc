-- How memories are used and where that has put them; docs/adr/0013-tiers.md says why it is a table
-- of its own.

-- Many updates and few indexes: most of them stay on their page.
ALTER TABLE memories_use SET (fillfactor = 70);
ALTER TABLE memories_use DROP CONSTRAINT memories_use_pkey;
ALTER TABLE memories_use
    ADD CONSTRAINT use_once PRIMARY KEY (organisation_id, memory_id),
    ADD CONSTRAINT memories_use_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_use_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;

-- What is there already.
ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
INSERT INTO memories_use (memory_id, organisation_id, audience_id, kind, tier, access_count,
                          last_accessed_at)
SELECT id, organisation_id, audience_id, kind, CASE WHEN red_line THEN 'glacial' ELSE first_tier END,
    access_count, last_accessed_at
FROM memories_memory
WHERE access_count > 0 OR last_accessed_at IS NOT NULL OR red_line OR first_tier <> 'slow';
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;

ALTER TABLE memories_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_use FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_use_app_select ON memories_use FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_use_app_insert ON memories_use FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])) OR (audience_id = ANY ((SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[])::uuid[]))));
CREATE POLICY memories_use_app_update ON memories_use FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_use_app_delete ON memories_use FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_use_worker_select ON memories_use FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_use_worker_insert ON memories_use FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_use_worker_update ON memories_use FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_use_worker_delete ON memories_use FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_use TO commonmind_worker;

-- What moved, and why: written once.
ALTER TABLE memories_transition
    ADD CONSTRAINT memories_transition_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_transition_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE memories_transition ADD CONSTRAINT memories_transition_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_transition ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_transition FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_transition_app_select ON memories_transition FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_transition_app_insert ON memories_transition FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
REVOKE UPDATE, DELETE ON memories_transition FROM commonmind_app;
CREATE POLICY memories_transition_worker_select ON memories_transition FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_transition_worker_insert ON memories_transition FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_transition_worker_update ON memories_transition FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_transition_worker_delete ON memories_transition FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_transition TO commonmind_worker;

-- What was said of hits: written once.
ALTER TABLE memories_feedback
    ADD CONSTRAINT memories_feedback_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_feedback_recall_id_fk
        FOREIGN KEY (organisation_id, recall_id)
        REFERENCES memories_recall (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_feedback_memory_id_fk
        FOREIGN KEY (organisation_id, memory_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_feedback_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id) REFERENCES orgs_audience (organisation_id, id),
    ADD CONSTRAINT memories_feedback_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id) REFERENCES robots_robot (organisation_id, id),
    ADD CONSTRAINT memories_feedback_member_id_fk
        FOREIGN KEY (organisation_id, member_id) REFERENCES orgs_member (organisation_id, id),
    ADD CONSTRAINT memories_feedback_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
CREATE INDEX memories_feedback_audience_id_back ON memories_feedback (organisation_id, audience_id)
    WHERE audience_id IS NOT NULL;
CREATE INDEX memories_feedback_member_id_back ON memories_feedback (organisation_id, member_id)
    WHERE member_id IS NOT NULL;
ALTER TABLE memories_feedback ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_feedback FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_feedback_app_select ON memories_feedback FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_feedback_app_insert ON memories_feedback FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
REVOKE UPDATE, DELETE ON memories_feedback FROM commonmind_app;

-- Which runs were made; nothing here says anything of a memory.
ALTER TABLE memories_ageingrun
    ADD CONSTRAINT memories_ageingrun_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE memories_ageingrun ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_ageingrun FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_ageingrun_app_select ON memories_ageingrun FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_ageingrun_app_insert ON memories_ageingrun FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE, DELETE ON memories_ageingrun FROM commonmind_app;
CREATE POLICY memories_ageingrun_worker_select ON memories_ageingrun FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_ageingrun_worker_insert ON memories_ageingrun FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_ageingrun_worker_update ON memories_ageingrun FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE ON memories_ageingrun TO commonmind_worker;
