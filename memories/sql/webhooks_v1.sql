-- Webhooks; docs/adr/0063-webhooks.md. An endpoint is its owner's alone. A delivery is shown to the owner of
-- its endpoint as long as they read the audience that the event is about. The worker reads neither addresses nor
-- secrets.

ALTER TABLE memories_webhookendpoint
    ADD CONSTRAINT memories_webhookendpoint_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_webhookendpoint_owner UNIQUE (organisation_id, id, audience_id),
    ADD CONSTRAINT memories_webhookendpoint_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_webhookendpoint_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_webhookendpoint_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_webhookendpoint_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_webhookendpoint_key_id_fk
        FOREIGN KEY (organisation_id, key_id)
        REFERENCES robots_key (organisation_id, id) ON DELETE SET NULL (key_id);
CREATE INDEX memories_webhookendpoint_audience_id_back ON memories_webhookendpoint (organisation_id, audience_id);
CREATE INDEX memories_webhookendpoint_member_id_back ON memories_webhookendpoint (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX memories_webhookendpoint_robot_id_back ON memories_webhookendpoint (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
CREATE INDEX memories_webhookendpoint_key_id_back ON memories_webhookendpoint (organisation_id, key_id) WHERE key_id IS NOT NULL;

ALTER TABLE memories_webhookdelivery
    ADD CONSTRAINT memories_webhookdelivery_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_webhookdelivery_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_webhookdelivery_endpoint_fk
        FOREIGN KEY (organisation_id, endpoint_id, owner_audience_id)
        REFERENCES memories_webhookendpoint (organisation_id, id, audience_id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_webhookdelivery_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX memories_webhookdelivery_audience_id_back ON memories_webhookdelivery (organisation_id, audience_id);

ALTER TABLE memories_webhookendpoint ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_webhookendpoint FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_webhookendpoint_app_select ON memories_webhookendpoint FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookendpoint_app_insert ON memories_webhookendpoint FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookendpoint_app_update ON memories_webhookendpoint FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookendpoint_app_delete ON memories_webhookendpoint FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookendpoint_worker_select ON memories_webhookendpoint FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_webhookendpoint_worker_update ON memories_webhookendpoint FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_webhookendpoint_worker_delete ON memories_webhookendpoint FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
ALTER TABLE memories_webhookdelivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_webhookdelivery FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_webhookdelivery_app_select ON memories_webhookdelivery FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (owner_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]))
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookdelivery_app_insert ON memories_webhookdelivery FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (owner_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]))
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookdelivery_app_update ON memories_webhookdelivery FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (owner_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]))
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (owner_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]))
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookdelivery_app_delete ON memories_webhookdelivery FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
        AND (owner_audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]))
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_webhookdelivery_worker_select ON memories_webhookdelivery FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_webhookdelivery_worker_update ON memories_webhookdelivery FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_webhookdelivery_worker_delete ON memories_webhookdelivery FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, audience_id, member_id, robot_id, key_id, created_at, failures,
        paused_until, disabled_at, disabled_for)
    ON memories_webhookendpoint TO commonmind_worker;
GRANT UPDATE (failures, paused_until, disabled_at, disabled_for) ON memories_webhookendpoint TO commonmind_worker;
GRANT DELETE ON memories_webhookendpoint TO commonmind_worker;
GRANT SELECT, DELETE ON memories_webhookdelivery TO commonmind_worker;
GRANT UPDATE (state, attempts, next_attempt_at, leased_until, attempted_at, status, error)
    ON memories_webhookdelivery TO commonmind_worker;
