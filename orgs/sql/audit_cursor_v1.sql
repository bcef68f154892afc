-- How far the audit trail of an organisation was told to the syslog server; docs/adr/0062-kubernetes.md.
-- Only the worker follows it; the application may look, and begin one.

ALTER TABLE orgs_auditcursor
    ADD CONSTRAINT orgs_auditcursor_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT orgs_auditcursor_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE orgs_auditcursor ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_auditcursor FORCE ROW LEVEL SECURITY;
REVOKE UPDATE, DELETE ON orgs_auditcursor FROM commonmind_app;
CREATE POLICY orgs_auditcursor_app_select ON orgs_auditcursor FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditcursor_app_insert ON orgs_auditcursor FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditcursor_worker_select ON orgs_auditcursor FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditcursor_worker_insert ON orgs_auditcursor FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditcursor_worker_update ON orgs_auditcursor FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE ON orgs_auditcursor TO commonmind_worker;
