-- On which server an organisation lies. The application looks up one by its id, which it names
-- before; nobody lists them. The setting is not that of the scope, because this is read before a
-- scope is opened and may be read inside one.

ALTER TABLE orgs_placement ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_placement FORCE ROW LEVEL SECURITY;
CREATE POLICY orgs_placement_app_select ON orgs_placement FOR SELECT TO commonmind_app
    USING (id = NULLIF(current_setting('app.placement', true), '')::uuid);
CREATE POLICY orgs_placement_app_insert ON orgs_placement FOR INSERT TO commonmind_app
    WITH CHECK (id = NULLIF(current_setting('app.placement', true), '')::uuid);
CREATE POLICY orgs_placement_app_update ON orgs_placement FOR UPDATE TO commonmind_app
    USING (id = NULLIF(current_setting('app.placement', true), '')::uuid)
    WITH CHECK (id = NULLIF(current_setting('app.placement', true), '')::uuid);
CREATE POLICY orgs_placement_app_delete ON orgs_placement FOR DELETE TO commonmind_app
    USING (id = NULLIF(current_setting('app.placement', true), '')::uuid);
REVOKE UPDATE ON orgs_placement FROM commonmind_app;
GRANT UPDATE (state) ON orgs_placement TO commonmind_app;
