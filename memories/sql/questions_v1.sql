-- Questions that nothing answered; docs/adr/0069-kept-questions.md. Who asked is in a row that only the asker
-- reads; curators read the question. What is kept goes with the consent by which it is kept.

ALTER TABLE memories_questionconsent
    ADD CONSTRAINT memories_questionconsent_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_questionconsent_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_questionconsent_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_questionconsent_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX memories_questionconsent_member_id_back ON memories_questionconsent (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_questionconsent_robot_id_back ON memories_questionconsent (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
ALTER TABLE memories_questionconsent ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_questionconsent FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_questionasker
    ADD CONSTRAINT memories_questionasker_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_questionasker_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_questionasker_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_questionasker_member_consent_id_fk
        FOREIGN KEY (organisation_id, member_consent_id)
        REFERENCES memories_questionconsent (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_questionasker_robot_consent_id_fk
        FOREIGN KEY (organisation_id, robot_consent_id)
        REFERENCES memories_questionconsent (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX memories_questionasker_audience_id_back ON memories_questionasker (organisation_id, audience_id);
CREATE INDEX memories_questionasker_member_consent_id_back ON memories_questionasker (organisation_id, member_consent_id) WHERE member_consent_id IS NOT NULL;
CREATE INDEX memories_questionasker_robot_consent_id_back ON memories_questionasker (organisation_id, robot_consent_id) WHERE robot_consent_id IS NOT NULL;
ALTER TABLE memories_questionasker ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_questionasker FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_question
    ADD CONSTRAINT memories_question_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_question_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_question_asker_id_fk
        FOREIGN KEY (organisation_id, asker_id)
        REFERENCES memories_questionasker (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_question_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_question_context_audience_id_fk
        FOREIGN KEY (organisation_id, context_audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX memories_question_asker_id_back ON memories_question (organisation_id, asker_id);
CREATE INDEX memories_question_audience_id_back ON memories_question (organisation_id, audience_id);
CREATE INDEX memories_question_context_audience_id_back ON memories_question (organisation_id, context_audience_id);
ALTER TABLE memories_question ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_question FORCE ROW LEVEL SECURITY;

CREATE POLICY memories_questionconsent_app_select ON memories_questionconsent FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_questionconsent_app_insert ON memories_questionconsent FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_questionconsent_app_delete ON memories_questionconsent FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_questionconsent_worker_select ON memories_questionconsent FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_questionconsent_worker_delete ON memories_questionconsent FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_questionasker_app_select ON memories_questionasker FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]));
CREATE POLICY memories_questionasker_app_insert ON memories_questionasker FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]));
CREATE POLICY memories_questionasker_app_delete ON memories_questionasker FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]));
CREATE POLICY memories_questionasker_worker_select ON memories_questionasker FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_questionasker_worker_delete ON memories_questionasker FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_question_app_select ON memories_question FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND ((reason <> '' AND audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
            AND context_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]))
            OR asker_id IN (SELECT a.id FROM memories_questionasker a)));
CREATE POLICY memories_question_app_insert ON memories_question FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
            OR audience_id = ANY ((SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[])::uuid[]))
        AND context_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
        AND asker_id IN (SELECT a.id FROM memories_questionasker a));
CREATE POLICY memories_question_app_update ON memories_question FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND context_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
        AND asker_id IN (SELECT a.id FROM memories_questionasker a))
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND context_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
        AND asker_id IN (SELECT a.id FROM memories_questionasker a));
CREATE POLICY memories_question_app_delete ON memories_question FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND reason <> '' AND audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
            AND context_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]));
CREATE POLICY memories_question_worker_select ON memories_question FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_question_worker_delete ON memories_question FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE ON memories_questionconsent, memories_questionasker, memories_question FROM commonmind_app;
GRANT UPDATE (reason) ON memories_question TO commonmind_app;
GRANT SELECT, DELETE ON memories_questionconsent, memories_questionasker TO commonmind_worker;
GRANT SELECT (id, organisation_id, asker_id, audience_id, context_audience_id, reason, asked_on), DELETE
    ON memories_question TO commonmind_worker;
