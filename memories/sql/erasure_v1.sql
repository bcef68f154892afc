-- Erasing for good: what was asked, which steps are done, which ids may not come back.
--
-- The application writes what was asked and reads receipts; the worker does the rest. A tombstone
-- holds an id and no text, so every scope of the organisation may look it up.

ALTER TABLE memories_erasure
    ADD CONSTRAINT memories_erasure_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_erasure_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT memories_erasure_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_erasure_job_id_fk
        FOREIGN KEY (organisation_id, job_id)
        REFERENCES memories_job (organisation_id, id) ON DELETE SET NULL (job_id);
ALTER TABLE memories_erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_erasure FORCE ROW LEVEL SECURITY;

CREATE POLICY memories_erasure_app_select ON memories_erasure FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_erasure_app_insert ON memories_erasure FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_erasure_app_update ON memories_erasure FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));

REVOKE DELETE ON memories_erasure FROM commonmind_app;

CREATE POLICY memories_erasure_worker_select ON memories_erasure FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_erasure_worker_insert ON memories_erasure FOR INSERT TO commonmind_worker
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_erasure_worker_update ON memories_erasure FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON memories_erasure TO commonmind_worker;

ALTER TABLE memories_erasurestep
    ADD CONSTRAINT memories_erasurestep_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_erasurestep_erasure_id_fk
        FOREIGN KEY (organisation_id, erasure_id)
        REFERENCES memories_erasure (organisation_id, id) ON DELETE CASCADE;
ALTER TABLE memories_erasurestep ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_erasurestep FORCE ROW LEVEL SECURITY;

CREATE POLICY memories_erasurestep_app_select ON memories_erasurestep FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_erasurestep_app_insert ON memories_erasurestep FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));

REVOKE UPDATE, DELETE ON memories_erasurestep FROM commonmind_app;

CREATE POLICY memories_erasurestep_worker_select ON memories_erasurestep FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_erasurestep_worker_insert ON memories_erasurestep FOR INSERT TO commonmind_worker
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_erasurestep_worker_update ON memories_erasurestep FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON memories_erasurestep TO commonmind_worker;

ALTER TABLE memories_tombstone
    ADD CONSTRAINT memories_tombstone_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_tombstone_erasure_id_fk
        FOREIGN KEY (organisation_id, erasure_id)
        REFERENCES memories_erasure (organisation_id, id) ON DELETE CASCADE;
ALTER TABLE memories_tombstone ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_tombstone FORCE ROW LEVEL SECURITY;

CREATE POLICY memories_tombstone_app_select ON memories_tombstone FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_tombstone_app_insert ON memories_tombstone FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));

REVOKE UPDATE, DELETE ON memories_tombstone FROM commonmind_app;

CREATE POLICY memories_tombstone_worker_select ON memories_tombstone FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_tombstone_worker_insert ON memories_tombstone FOR INSERT TO commonmind_worker
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_tombstone_worker_update ON memories_tombstone FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON memories_tombstone TO commonmind_worker;

-- No write brings back what has a tombstone: looked up once a statement.

CREATE FUNCTION public.memories_refuse_erased()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF EXISTS (SELECT 1 FROM added a JOIN public.memories_tombstone t
               ON t.organisation_id = a.organisation_id AND t.target = a.id) THEN
        RAISE EXCEPTION 'it was erased for good' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $function$;

CREATE TRIGGER memories_memory_erased AFTER INSERT ON memories_memory
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memories_refuse_erased();
CREATE TRIGGER robots_message_erased AFTER INSERT ON robots_message
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memories_refuse_erased();
CREATE TRIGGER robots_conversation_erased AFTER INSERT ON robots_conversation
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memories_refuse_erased();

-- By which key and which import: what came by one of them can be erased together. A late write of
-- an erased import is refused like the others.

ALTER TABLE memories_contribution
    ADD CONSTRAINT memories_contribution_key_id_fk
        FOREIGN KEY (organisation_id, key_id)
        REFERENCES robots_key (organisation_id, id) ON DELETE SET NULL (key_id);
CREATE INDEX memories_contribution_key ON memories_contribution (organisation_id, key_id)
    WHERE key_id IS NOT NULL;
CREATE INDEX memories_contribution_job ON memories_contribution (organisation_id, import_job)
    WHERE import_job IS NOT NULL;

CREATE FUNCTION public.memories_refuse_erased_import()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF EXISTS (SELECT 1 FROM added a JOIN public.memories_tombstone t
               ON t.organisation_id = a.organisation_id AND t.target = a.import_job) THEN
        RAISE EXCEPTION 'its import was erased for good' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $function$;

CREATE TRIGGER memories_contribution_erased AFTER INSERT ON memories_contribution
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT
    EXECUTE FUNCTION memories_refuse_erased_import();

-- What the worker needs to find, delete and mask in the rows of others
-- (memories/privacy/erasure/column_rules.py).

CREATE POLICY memories_account_worker_select ON memories_account FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_account_worker_update ON memories_account FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_account_worker_delete ON memories_account FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, member_id, name, problems) ON memories_account TO commonmind_worker;
GRANT UPDATE (name, problems) ON memories_account TO commonmind_worker;
GRANT DELETE ON memories_account TO commonmind_worker;

CREATE POLICY memories_accountentry_worker_select ON memories_accountentry FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_accountentry_worker_update ON memories_accountentry FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, title, person, place, text) ON memories_accountentry TO commonmind_worker;
GRANT UPDATE (title, person, place, text) ON memories_accountentry TO commonmind_worker;

CREATE POLICY memories_disclosure_worker_select ON memories_disclosure FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_disclosure_worker_update ON memories_disclosure FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, staff_name, reason) ON memories_disclosure TO commonmind_worker;
GRANT UPDATE (staff_name, reason) ON memories_disclosure TO commonmind_worker;

CREATE POLICY memories_savedview_worker_select ON memories_savedview FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_savedview_worker_update ON memories_savedview FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_savedview_worker_delete ON memories_savedview FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, member_id, name, query) ON memories_savedview TO commonmind_worker;
GRANT UPDATE (name, query) ON memories_savedview TO commonmind_worker;
GRANT DELETE ON memories_savedview TO commonmind_worker;

CREATE POLICY memories_recall_worker_select ON memories_recall FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_recall_worker_delete ON memories_recall FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, member_id) ON memories_recall TO commonmind_worker;
GRANT DELETE ON memories_recall TO commonmind_worker;

CREATE POLICY memories_version_worker_update ON memories_version FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT UPDATE (content, tags, metadata) ON memories_version TO commonmind_worker;

CREATE POLICY orgs_auditentry_worker_update ON orgs_auditentry FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT UPDATE (detail) ON orgs_auditentry TO commonmind_worker;

CREATE POLICY orgs_group_worker_select ON orgs_group FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY orgs_group_worker_update ON orgs_group FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, external_id, name) ON orgs_group TO commonmind_worker;
GRANT UPDATE (external_id, name) ON orgs_group TO commonmind_worker;

CREATE POLICY orgs_externalidentity_worker_select ON orgs_externalidentity FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY orgs_externalidentity_worker_delete ON orgs_externalidentity FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, member_id, platform, identifier) ON orgs_externalidentity TO commonmind_worker;
GRANT DELETE ON orgs_externalidentity TO commonmind_worker;

CREATE POLICY robots_conversation_worker_select ON robots_conversation FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_conversation_worker_update ON robots_conversation FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_conversation_worker_delete ON robots_conversation FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, external_id, title, metadata, group_id, member_id, robot_id, audience_id) ON robots_conversation TO commonmind_worker;
GRANT UPDATE (external_id, title, metadata) ON robots_conversation TO commonmind_worker;
GRANT DELETE ON robots_conversation TO commonmind_worker;

CREATE POLICY robots_delegation_worker_select ON robots_delegation FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_delegation_worker_delete ON robots_delegation FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, member_id) ON robots_delegation TO commonmind_worker;
GRANT DELETE ON robots_delegation TO commonmind_worker;

CREATE POLICY robots_identitylink_worker_select ON robots_identitylink FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_identitylink_worker_update ON robots_identitylink FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, identity_id, known_as, evidence) ON robots_identitylink TO commonmind_worker;
GRANT UPDATE (known_as, evidence) ON robots_identitylink TO commonmind_worker;

CREATE POLICY robots_key_worker_select ON robots_key FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_key_worker_update ON robots_key FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, robot_id, label) ON robots_key TO commonmind_worker;
GRANT UPDATE (label) ON robots_key TO commonmind_worker;

CREATE POLICY robots_message_worker_select ON robots_message FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_message_worker_update ON robots_message FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_message_worker_delete ON robots_message FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, audience_id, conversation_id, robot_id, author_id, speaker_member_id, role, external_id, content, speaker, speaker_key, mentions, reply_to_key, metadata) ON robots_message TO commonmind_worker;
GRANT UPDATE (external_id, content, speaker, speaker_key, mentions, reply_to_key, metadata) ON robots_message TO commonmind_worker;
GRANT DELETE ON robots_message TO commonmind_worker;

CREATE POLICY robots_robot_worker_select ON robots_robot FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_robot_worker_update ON robots_robot FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, owner_id, external_id, name, purpose, metadata, personality) ON robots_robot TO commonmind_worker;
GRANT UPDATE (external_id, name, purpose, metadata, personality) ON robots_robot TO commonmind_worker;

CREATE POLICY robots_team_worker_select ON robots_team FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY robots_team_worker_update ON robots_team FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (id, organisation_id, external_id, name, purpose) ON robots_team TO commonmind_worker;
GRANT UPDATE (external_id, name, purpose) ON robots_team TO commonmind_worker;

-- Whose an audience is: what is private to a member goes with them.

GRANT SELECT (key) ON orgs_audience TO commonmind_worker;
