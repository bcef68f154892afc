-- Decisions: what a decision has beside its memory. A row is readable like its memory, moves with it
-- and goes with it. Once written it stays; of a dissent only the answer to it changes.

ALTER TABLE memories_decision DROP CONSTRAINT memories_decision_pkey;
ALTER TABLE memories_decision
    ADD CONSTRAINT decision_once PRIMARY KEY (organisation_id, memory_id),
    ADD CONSTRAINT memories_decision_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_decision_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE memories_decision ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_decision FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_decision_app_select ON memories_decision FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_decision_app_insert ON memories_decision FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_decision_app_delete ON memories_decision FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_decision_worker_select ON memories_decision FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_decision_worker_delete ON memories_decision FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, DELETE ON memories_decision TO commonmind_worker;
REVOKE UPDATE ON memories_decision FROM commonmind_app;

ALTER TABLE memories_participant
    ADD CONSTRAINT memories_participant_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_participant_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_participant_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_participant_member_id_fk
        FOREIGN KEY (organisation_id, member_id) REFERENCES orgs_member (organisation_id, id)
        ON DELETE SET NULL (member_id),
    ADD CONSTRAINT memories_participant_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id) REFERENCES robots_robot (organisation_id, id)
        ON DELETE SET NULL (robot_id);
CREATE INDEX memories_participant_member_id_back ON memories_participant (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_participant_robot_id_back ON memories_participant (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
ALTER TABLE memories_participant ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_participant FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_participant_app_select ON memories_participant FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_participant_app_insert ON memories_participant FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_participant_app_delete ON memories_participant FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_participant_worker_select ON memories_participant FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_participant_worker_delete ON memories_participant FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, DELETE ON memories_participant TO commonmind_worker;
REVOKE UPDATE ON memories_participant FROM commonmind_app;

ALTER TABLE memories_claim
    ADD CONSTRAINT memories_claim_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_claim_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_claim_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_claim_member_id_fk
        FOREIGN KEY (organisation_id, member_id) REFERENCES orgs_member (organisation_id, id)
        ON DELETE SET NULL (member_id),
    ADD CONSTRAINT memories_claim_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id) REFERENCES robots_robot (organisation_id, id)
        ON DELETE SET NULL (robot_id);
CREATE INDEX memories_claim_member_id_back ON memories_claim (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_claim_robot_id_back ON memories_claim (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
ALTER TABLE memories_claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_claim FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_claim_app_select ON memories_claim FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_claim_app_insert ON memories_claim FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_claim_app_delete ON memories_claim FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_claim_worker_select ON memories_claim FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_claim_worker_delete ON memories_claim FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, DELETE ON memories_claim TO commonmind_worker;
REVOKE UPDATE ON memories_claim FROM commonmind_app;

ALTER TABLE memories_dissent
    ADD CONSTRAINT memories_dissent_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_dissent_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_dissent_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_dissent_member_id_fk
        FOREIGN KEY (organisation_id, member_id) REFERENCES orgs_member (organisation_id, id)
        ON DELETE SET NULL (member_id),
    ADD CONSTRAINT memories_dissent_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id) REFERENCES robots_robot (organisation_id, id)
        ON DELETE SET NULL (robot_id),
    ADD CONSTRAINT memories_dissent_noted_by_id_fk
        FOREIGN KEY (organisation_id, noted_by_id) REFERENCES orgs_member (organisation_id, id)
        ON DELETE SET NULL (noted_by_id),
    ADD CONSTRAINT memories_dissent_noted_by_robot_id_fk
        FOREIGN KEY (organisation_id, noted_by_robot_id) REFERENCES robots_robot (organisation_id, id)
        ON DELETE SET NULL (noted_by_robot_id),
    ADD CONSTRAINT memories_dissent_answered_by_id_fk
        FOREIGN KEY (organisation_id, answered_by_id) REFERENCES orgs_member (organisation_id, id)
        ON DELETE SET NULL (answered_by_id),
    ADD CONSTRAINT memories_dissent_answered_by_robot_id_fk
        FOREIGN KEY (organisation_id, answered_by_robot_id) REFERENCES robots_robot (organisation_id, id)
        ON DELETE SET NULL (answered_by_robot_id);
CREATE INDEX memories_dissent_member_id_back ON memories_dissent (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_dissent_robot_id_back ON memories_dissent (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
CREATE INDEX memories_dissent_noted_by_id_back ON memories_dissent (organisation_id, noted_by_id) WHERE noted_by_id IS NOT NULL;
CREATE INDEX memories_dissent_noted_by_robot_id_back ON memories_dissent (organisation_id, noted_by_robot_id) WHERE noted_by_robot_id IS NOT NULL;
CREATE INDEX memories_dissent_answered_by_id_back ON memories_dissent (organisation_id, answered_by_id) WHERE answered_by_id IS NOT NULL;
CREATE INDEX memories_dissent_answered_by_robot_id_back ON memories_dissent (organisation_id, answered_by_robot_id) WHERE answered_by_robot_id IS NOT NULL;
ALTER TABLE memories_dissent ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_dissent FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_dissent_app_select ON memories_dissent FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_dissent_app_insert ON memories_dissent FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_dissent_app_update ON memories_dissent FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_dissent_app_delete ON memories_dissent FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_dissent_worker_select ON memories_dissent FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_dissent_worker_delete ON memories_dissent FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, DELETE ON memories_dissent TO commonmind_worker;
REVOKE UPDATE ON memories_dissent FROM commonmind_app;
-- What was said never changes, whoever decides anew.
GRANT UPDATE (acknowledged, rebuttal, answered_at, answered_by_id, answered_by_robot_id)
    ON memories_dissent TO commonmind_app;

-- Debates: a meeting of a program from its topic to its decision.
ALTER TABLE memories_debate
    ADD CONSTRAINT memories_debate_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_debate_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_debate_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id) REFERENCES orgs_audience (organisation_id, id),
    ADD CONSTRAINT memories_debate_group_id_fk
        FOREIGN KEY (organisation_id, group_id) REFERENCES orgs_group (organisation_id, id)
        ON DELETE SET NULL (group_id),
    ADD CONSTRAINT memories_debate_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id) REFERENCES robots_robot (organisation_id, id)
        ON DELETE SET NULL (robot_id),
    ADD CONSTRAINT memories_debate_member_id_fk
        FOREIGN KEY (organisation_id, member_id) REFERENCES orgs_member (organisation_id, id)
        ON DELETE SET NULL (member_id),
    ADD CONSTRAINT memories_debate_recall_id_fk
        FOREIGN KEY (organisation_id, recall_id) REFERENCES memories_recall (organisation_id, id)
        ON DELETE SET NULL (recall_id),
    ADD CONSTRAINT memories_debate_decision_id_fk
        FOREIGN KEY (organisation_id, decision_id) REFERENCES memories_memory (organisation_id, id)
        ON DELETE SET NULL (decision_id);
CREATE INDEX memories_debate_group_id_back ON memories_debate (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX memories_debate_robot_id_back ON memories_debate (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
CREATE INDEX memories_debate_member_id_back ON memories_debate (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_debate_recall_id_back ON memories_debate (organisation_id, recall_id) WHERE recall_id IS NOT NULL;
CREATE INDEX memories_debate_decision_id_back ON memories_debate (organisation_id, decision_id) WHERE decision_id IS NOT NULL;
CREATE INDEX memories_debate_audience_id_back ON memories_debate (organisation_id, audience_id);
ALTER TABLE memories_debate ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_debate FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_debate_app_select ON memories_debate FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_debate_app_insert ON memories_debate FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_debate_app_update ON memories_debate FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_debate_app_delete ON memories_debate FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_debate_worker_select ON memories_debate FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_debate_worker_delete ON memories_debate FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, DELETE ON memories_debate TO commonmind_worker;
REVOKE UPDATE ON memories_debate FROM commonmind_app;
GRANT UPDATE (state, decision_id, closed_at) ON memories_debate TO commonmind_app;

-- How it went is known later than how useful it was, so that may be added to what was said.
CREATE POLICY memories_feedback_app_update ON memories_feedback FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
GRANT UPDATE (outcome) ON memories_feedback TO commonmind_app;

-- An erasure hides the name of somebody who is gone in what others said; the worker does that.
CREATE POLICY memories_decision_worker_update ON memories_decision FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT UPDATE (words, topic_hash, domain) ON memories_decision TO commonmind_worker;
CREATE POLICY memories_participant_worker_update ON memories_participant FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT UPDATE (name) ON memories_participant TO commonmind_worker;
CREATE POLICY memories_claim_worker_update ON memories_claim FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT UPDATE (name, text) ON memories_claim TO commonmind_worker;
CREATE POLICY memories_dissent_worker_update ON memories_dissent FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT UPDATE (name, content, reasoning, rebuttal) ON memories_dissent TO commonmind_worker;
CREATE POLICY memories_debate_worker_update ON memories_debate FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT UPDATE (topic) ON memories_debate TO commonmind_worker;
