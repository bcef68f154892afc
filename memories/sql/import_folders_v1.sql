-- Folders on the server whose new files are imported; docs/adr/0081-folders.md. They are of the organisation:
-- what they bring has readers of its own. The worker reads of them what an erasure needs, support nothing.

ALTER TABLE memories_importsubscription
    ADD CONSTRAINT memories_importsubscription_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_importsubscription_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_importsubscription_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_importsubscription_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_importsubscription_key_id_fk
        FOREIGN KEY (organisation_id, key_id)
        REFERENCES robots_key (organisation_id, id) ON DELETE SET NULL (key_id),
    ADD CONSTRAINT memories_importsubscription_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX memories_importsubscription_member_id_back ON memories_importsubscription (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_importsubscription_robot_id_back ON memories_importsubscription (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
CREATE INDEX memories_importsubscription_key_id_back ON memories_importsubscription (organisation_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX memories_importsubscription_group_id_back ON memories_importsubscription (organisation_id, group_id) WHERE group_id IS NOT NULL;

ALTER TABLE memories_folderfile
    ADD CONSTRAINT memories_folderfile_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_folderfile_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_folderfile_subscription_id_fk
        FOREIGN KEY (organisation_id, subscription_id)
        REFERENCES memories_importsubscription (organisation_id, id) ON DELETE CASCADE;

ALTER TABLE memories_importsubscription ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_importsubscription FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_importsubscription_app_select ON memories_importsubscription FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_importsubscription_app_insert ON memories_importsubscription FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_importsubscription_app_update ON memories_importsubscription FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_importsubscription_app_delete ON memories_importsubscription FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
ALTER TABLE memories_folderfile ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_folderfile FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_folderfile_app_select ON memories_folderfile FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_folderfile_app_insert ON memories_folderfile FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_folderfile_app_update ON memories_folderfile FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_folderfile_app_delete ON memories_folderfile FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_importsubscription_worker_select ON memories_importsubscription FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_importsubscription_worker_delete ON memories_importsubscription FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, member_id, robot_id), DELETE ON memories_importsubscription TO commonmind_worker;
CREATE POLICY memories_folderfile_worker_select ON memories_folderfile FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_folderfile_worker_update ON memories_folderfile FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, problem), UPDATE (problem) ON memories_folderfile TO commonmind_worker;
