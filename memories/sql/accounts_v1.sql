-- Calendars and mailboxes that a member handed in, and what was read of them. Both stand in the member's
-- own audience: readable to the member, and to a robot that acts for them with their leave. Neither the
-- worker nor support reads them.
ALTER TABLE memories_account
    ADD CONSTRAINT memories_account_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_account_whole UNIQUE (organisation_id, id, audience_id, kind),
    ADD CONSTRAINT memories_account_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_account_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id) REFERENCES orgs_audience (organisation_id, id),
    ADD CONSTRAINT memories_account_member_id_fk
        FOREIGN KEY (organisation_id, member_id) REFERENCES orgs_member (organisation_id, id);
ALTER TABLE memories_accountentry
    ADD CONSTRAINT memories_accountentry_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_accountentry_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_accountentry_account_fk
        FOREIGN KEY (organisation_id, account_id, audience_id, kind)
        REFERENCES memories_account (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE;
CREATE INDEX memories_account_audience ON memories_account (organisation_id, audience_id);
CREATE INDEX memories_accountentry_account ON memories_accountentry (organisation_id, account_id);
ALTER TABLE memories_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_account FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_accountentry ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_accountentry FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_account_app_select ON memories_account FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_account_app_insert ON memories_account FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_account_app_update ON memories_account FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_account_app_delete ON memories_account FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_accountentry_app_select ON memories_accountentry FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_accountentry_app_insert ON memories_accountentry FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_accountentry_app_update ON memories_accountentry FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_accountentry_app_delete ON memories_accountentry FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
