-- What the gates know, how strict they are, and the words that they have put aside.
-- docs/adr/0021-gates.md says why the words of a member lie apart.

ALTER TABLE memories_gazetteerterm
    ADD CONSTRAINT memories_gazetteerterm_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_gazetteerterm_added_by_id_fk
        FOREIGN KEY (organisation_id, added_by_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (added_by_id);
CREATE INDEX memories_gazetteerterm_added_by_id_back
    ON memories_gazetteerterm (organisation_id, added_by_id) WHERE added_by_id IS NOT NULL;
ALTER TABLE memories_gazetteerterm ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_gazetteerterm FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_gazetteerterm_app_select ON memories_gazetteerterm FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_gazetteerterm_app_insert ON memories_gazetteerterm FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_gazetteerterm_app_delete ON memories_gazetteerterm FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE ON memories_gazetteerterm FROM commonmind_app;
CREATE POLICY memories_gazetteerterm_worker_select ON memories_gazetteerterm FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT ON memories_gazetteerterm TO commonmind_worker;

ALTER TABLE memories_gatepolicy
    ADD CONSTRAINT memories_gatepolicy_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_gatepolicy_changed_by_id_fk
        FOREIGN KEY (organisation_id, changed_by_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (changed_by_id);
CREATE INDEX memories_gatepolicy_changed_by_id_back
    ON memories_gatepolicy (organisation_id, changed_by_id) WHERE changed_by_id IS NOT NULL;
ALTER TABLE memories_gatepolicy ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_gatepolicy FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_gatepolicy_app_select ON memories_gatepolicy FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_gatepolicy_app_insert ON memories_gatepolicy FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_gatepolicy_app_update ON memories_gatepolicy FOR UPDATE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE DELETE ON memories_gatepolicy FROM commonmind_app;
CREATE POLICY memories_gatepolicy_worker_select ON memories_gatepolicy FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT ON memories_gatepolicy TO commonmind_worker;

ALTER TABLE memories_heldtext
    ADD CONSTRAINT memories_heldtext_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_heldtext_memory_id_fk
        FOREIGN KEY (organisation_id, memory_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_heldtext_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE;
ALTER TABLE memories_heldtext ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_heldtext FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_heldtext_app_select ON memories_heldtext FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]));
CREATE POLICY memories_heldtext_app_insert ON memories_heldtext FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
            OR audience_id = ANY ((SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_heldtext_app_delete ON memories_heldtext FOR DELETE TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid
        AND audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]));
REVOKE UPDATE ON memories_heldtext FROM commonmind_app;
CREATE POLICY memories_heldtext_worker_select ON memories_heldtext FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_heldtext_worker_delete ON memories_heldtext FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_heldtext_worker_update ON memories_heldtext FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, UPDATE, DELETE ON memories_heldtext TO commonmind_worker;
