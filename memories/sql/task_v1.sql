-- For whom and until when the action items of memories are to be done, and which are done.
-- A row is readable like its memory, moves with it and goes with it.

ALTER TABLE memories_task
    ADD CONSTRAINT memories_task_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_task_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_task_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_task_assignee_id_fk
        FOREIGN KEY (organisation_id, assignee_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (assignee_id),
    ADD CONSTRAINT memories_task_done_by_id_fk
        FOREIGN KEY (organisation_id, done_by_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (done_by_id),
    ADD CONSTRAINT memories_task_done_by_robot_id_fk
        FOREIGN KEY (organisation_id, done_by_robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE SET NULL (done_by_robot_id);
CREATE INDEX memories_task_assignee_id_back ON memories_task (organisation_id, assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX memories_task_done_by_id_back ON memories_task (organisation_id, done_by_id) WHERE done_by_id IS NOT NULL;
CREATE INDEX memories_task_done_by_robot_id_back ON memories_task (organisation_id, done_by_robot_id) WHERE done_by_robot_id IS NOT NULL;

-- What is there already; the next reading finds days and people in it.
ALTER TABLE memories_entity NO FORCE ROW LEVEL SECURITY;
INSERT INTO memories_task (id, organisation_id, memory_id, audience_id, kind, node, assignee_given,
                           due_given, noted_at)
SELECT gen_random_uuid(), organisation_id, memory_id, audience_id, kind, node, false, false,
    extracted_at
FROM memories_entity WHERE type = 'action_item';
ALTER TABLE memories_entity FORCE ROW LEVEL SECURITY;

ALTER TABLE memories_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_task FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_task_app_select ON memories_task FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_task_app_insert ON memories_task FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_task_app_update ON memories_task FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_task_app_delete ON memories_task FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_task_worker_select ON memories_task FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_task_worker_insert ON memories_task FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_task_worker_update ON memories_task FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_task_worker_delete ON memories_task FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_task TO commonmind_worker;
