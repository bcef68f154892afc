-- What a language model answered about a memory: a hash and a word, no text. It is readable like the
-- memory, and nobody but the worker changes it.
ALTER TABLE memories_modelanswer
    ADD CONSTRAINT memories_modelanswer_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_modelanswer_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE memories_modelanswer ADD CONSTRAINT memories_modelanswer_tenant UNIQUE (organisation_id, id);
ALTER TABLE memories_modelanswer ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_modelanswer FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_modelanswer_app_select ON memories_modelanswer FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_modelanswer_app_insert ON memories_modelanswer FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
REVOKE UPDATE, DELETE ON memories_modelanswer FROM commonmind_app;
CREATE POLICY memories_modelanswer_worker_select ON memories_modelanswer FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_modelanswer_worker_insert ON memories_modelanswer FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_modelanswer_worker_update ON memories_modelanswer FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_modelanswer_worker_delete ON memories_modelanswer FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_modelanswer TO commonmind_worker;
-- Nothing that concerns a member who has paused learning is shown to a model, and the worker asks.
GRANT SELECT (learning_paused_at) ON orgs_member TO commonmind_worker;
