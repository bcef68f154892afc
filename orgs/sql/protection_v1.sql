-- Who may read and change what of organisations, people and the audit trail.
-- A file of this folder never changes once it is released: a change is a new file.

-- What foreign keys with the organisation in them refer to.

ALTER TABLE orgs_audience ADD CONSTRAINT orgs_audience_tenant UNIQUE (organisation_id, id);
ALTER TABLE orgs_audienceentry ADD CONSTRAINT orgs_audienceentry_tenant UNIQUE (organisation_id, id);
ALTER TABLE orgs_auditentry ADD CONSTRAINT orgs_auditentry_tenant UNIQUE (organisation_id, id);
ALTER TABLE orgs_externalidentity ADD CONSTRAINT orgs_externalidentity_tenant UNIQUE (organisation_id, id);
ALTER TABLE orgs_group ADD CONSTRAINT orgs_group_tenant UNIQUE (organisation_id, id);
ALTER TABLE orgs_groupmembership ADD CONSTRAINT orgs_groupmembership_tenant UNIQUE (organisation_id, id);
ALTER TABLE orgs_member ADD CONSTRAINT orgs_member_tenant UNIQUE (organisation_id, id);

-- auth_permission

REVOKE INSERT, UPDATE, DELETE ON auth_permission FROM commonmind_app;

-- django_content_type

REVOKE INSERT, UPDATE, DELETE ON django_content_type FROM commonmind_app;

-- django_migrations

REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM commonmind_app;
REVOKE USAGE ON SEQUENCE django_migrations_id_seq FROM commonmind_app;

-- orgs_audience

ALTER TABLE orgs_audience ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience
    ADD CONSTRAINT orgs_audience_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT orgs_audience_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX orgs_audience_group_id_back ON orgs_audience (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE POLICY orgs_audience_app_select ON orgs_audience FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audience_app_insert ON orgs_audience FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audience_app_update ON orgs_audience FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audience_app_delete ON orgs_audience FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audience_support_select ON orgs_audience FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audience_worker_select ON orgs_audience FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, kind, created_at, group_id, organisation_id) ON orgs_audience TO commonmind_support;
GRANT SELECT (id, kind, organisation_id) ON orgs_audience TO commonmind_worker;

-- orgs_audienceentry

ALTER TABLE orgs_audienceentry ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_audienceentry FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audienceentry
    ADD CONSTRAINT orgs_audienceentry_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT orgs_audienceentry_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE POLICY orgs_audienceentry_app_select ON orgs_audienceentry FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audienceentry_app_insert ON orgs_audienceentry FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audienceentry_app_update ON orgs_audienceentry FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_audienceentry_app_delete ON orgs_audienceentry FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);

-- orgs_auditentry

ALTER TABLE orgs_auditentry ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_auditentry FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_auditentry
    ADD CONSTRAINT orgs_auditentry_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE POLICY orgs_auditentry_app_select ON orgs_auditentry FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditentry_app_insert ON orgs_auditentry FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditentry_support_select ON orgs_auditentry FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditentry_worker_select ON orgs_auditentry FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_auditentry_worker_insert ON orgs_auditentry FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE, DELETE ON orgs_auditentry FROM commonmind_app;
GRANT SELECT (id, at, action, member, robot, staff, target_type, target, organisation_id) ON orgs_auditentry TO commonmind_support;
GRANT SELECT, INSERT ON orgs_auditentry TO commonmind_worker;

-- orgs_externalidentity

ALTER TABLE orgs_externalidentity ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_externalidentity FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_externalidentity
    ADD CONSTRAINT orgs_externalidentity_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT orgs_externalidentity_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT orgs_externalidentity_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE INDEX orgs_externalidentity_group_id_back ON orgs_externalidentity (organisation_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX orgs_externalidentity_member_id_back ON orgs_externalidentity (organisation_id, member_id) WHERE member_id IS NOT NULL;
CREATE POLICY orgs_externalidentity_app_select ON orgs_externalidentity FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_externalidentity_app_insert ON orgs_externalidentity FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_externalidentity_app_update ON orgs_externalidentity FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_externalidentity_app_delete ON orgs_externalidentity FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);

-- orgs_group

ALTER TABLE orgs_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_group FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_group
    ADD CONSTRAINT orgs_group_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE,
    ADD CONSTRAINT orgs_group_owner_id_fk
        FOREIGN KEY (organisation_id, owner_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE SET NULL (owner_id);
CREATE INDEX orgs_group_owner_id_back ON orgs_group (organisation_id, owner_id) WHERE owner_id IS NOT NULL;
CREATE POLICY orgs_group_app_select ON orgs_group FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_group_app_insert ON orgs_group FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_group_app_update ON orgs_group FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_group_app_delete ON orgs_group FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_group_support_select ON orgs_group FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, external_id, name, confidential, created_at, owner_id, organisation_id) ON orgs_group TO commonmind_support;

-- orgs_groupmembership

ALTER TABLE orgs_groupmembership ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_groupmembership FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_groupmembership
    ADD CONSTRAINT orgs_groupmembership_group_id_fk
        FOREIGN KEY (organisation_id, group_id)
        REFERENCES orgs_group(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT orgs_groupmembership_member_id_fk
        FOREIGN KEY (organisation_id, member_id)
        REFERENCES orgs_member(organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT orgs_groupmembership_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE POLICY orgs_groupmembership_app_select ON orgs_groupmembership FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_groupmembership_app_insert ON orgs_groupmembership FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_groupmembership_app_update ON orgs_groupmembership FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_groupmembership_app_delete ON orgs_groupmembership FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_groupmembership_support_select ON orgs_groupmembership FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, created_at, group_id, member_id, organisation_id) ON orgs_groupmembership TO commonmind_support;

-- orgs_member

ALTER TABLE orgs_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_member FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_member
    ADD CONSTRAINT orgs_member_organisation_id_fk
        FOREIGN KEY (organisation_id)
        REFERENCES orgs_organisation(id) ON DELETE CASCADE;
CREATE POLICY orgs_member_app_select ON orgs_member FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) OR (user_id = NULLIF(current_setting('app.user', true), '')::uuid));
CREATE POLICY orgs_member_app_insert ON orgs_member FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_member_app_update ON orgs_member FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_member_app_delete ON orgs_member FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_member_support_select ON orgs_member FOR SELECT TO commonmind_support
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_member_worker_select ON orgs_member FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT (id, name, role, time_zone, created_at, user_id, organisation_id, joined_at, removed_at) ON orgs_member TO commonmind_support;
GRANT SELECT (id, name, time_zone, organisation_id, sharing_off_at) ON orgs_member TO commonmind_worker;

-- orgs_organisation

ALTER TABLE orgs_organisation ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_organisation FORCE ROW LEVEL SECURITY;
CREATE POLICY orgs_organisation_app_select ON orgs_organisation FOR SELECT TO commonmind_app
    USING ((id = NULLIF(current_setting('app.organisation', true), '')::uuid) OR (id IN ( SELECT orgs_member.organisation_id
   FROM orgs_member
  WHERE (orgs_member.user_id = NULLIF(current_setting('app.user', true), '')::uuid))));
CREATE POLICY orgs_organisation_app_insert ON orgs_organisation FOR INSERT TO commonmind_app
    WITH CHECK (id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_organisation_app_update ON orgs_organisation FOR UPDATE TO commonmind_app
    USING (id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_organisation_app_delete ON orgs_organisation FOR DELETE TO commonmind_app
    USING (id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_organisation_owner_select ON orgs_organisation FOR SELECT TO commonmind_owner
    USING (true);
CREATE POLICY orgs_organisation_support_choose ON orgs_organisation FOR SELECT TO commonmind_support
    USING (true);
CREATE POLICY orgs_organisation_worker_select ON orgs_organisation FOR SELECT TO commonmind_worker
    USING (true);
GRANT SELECT (id, language, projections, removed_at) ON orgs_organisation TO commonmind_worker;
GRANT SELECT (id, name, slug, language, members_publish, created_at, removed_at) ON orgs_organisation TO commonmind_support;
