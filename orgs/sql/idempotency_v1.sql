-- Answers of calls with an Idempotency-Key; docs/adr/0044-idempotency.md. Each is for the key or
-- member that called, which the application names as the reader of its scope.

ALTER TABLE orgs_idempotencyrecord
    ADD CONSTRAINT orgs_idempotencyrecord_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT orgs_idempotencyrecord_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;

ALTER TABLE orgs_idempotencyrecord ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_idempotencyrecord FORCE ROW LEVEL SECURITY;
CREATE POLICY orgs_idempotencyrecord_app_select ON orgs_idempotencyrecord FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (caller = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)));
CREATE POLICY orgs_idempotencyrecord_app_insert ON orgs_idempotencyrecord FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (caller = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)));
CREATE POLICY orgs_idempotencyrecord_app_delete ON orgs_idempotencyrecord FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (caller = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)));
REVOKE UPDATE ON orgs_idempotencyrecord FROM commonmind_app;
-- The worker deletes old records, and empties those whose texts may be erased. It reads no answer.
CREATE POLICY orgs_idempotencyrecord_worker_select ON orgs_idempotencyrecord FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_idempotencyrecord_worker_update ON orgs_idempotencyrecord FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_idempotencyrecord_worker_delete ON orgs_idempotencyrecord FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, shows, created_at), UPDATE (headers, body, shows), DELETE
    ON orgs_idempotencyrecord TO commonmind_worker;
