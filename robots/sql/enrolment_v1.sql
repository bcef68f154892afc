-- Keys by which robots register themselves. They go with the member who answers for them.

ALTER TABLE robots_enrolmentkey
    ADD CONSTRAINT robots_enrolmentkey_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT robots_enrolmentkey_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT robots_enrolmentkey_created_by_id_fk
        FOREIGN KEY (organisation_id, created_by_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX robots_enrolmentkey_created_by_id_back
    ON robots_enrolmentkey (organisation_id, created_by_id) WHERE created_by_id IS NOT NULL;

ALTER TABLE robots_enrolmentkey ENABLE ROW LEVEL SECURITY;
ALTER TABLE robots_enrolmentkey FORCE ROW LEVEL SECURITY;
CREATE POLICY robots_enrolmentkey_app_select ON robots_enrolmentkey FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_enrolmentkey_app_insert ON robots_enrolmentkey FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_enrolmentkey_app_update ON robots_enrolmentkey FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_enrolmentkey_app_delete ON robots_enrolmentkey FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
-- The worker hides names in labels when somebody is erased.
CREATE POLICY robots_enrolmentkey_worker_select ON robots_enrolmentkey FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY robots_enrolmentkey_worker_update ON robots_enrolmentkey FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, organisation_id, label) ON robots_enrolmentkey TO commonmind_worker;
GRANT UPDATE (label) ON robots_enrolmentkey TO commonmind_worker;
