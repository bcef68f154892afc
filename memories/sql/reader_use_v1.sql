-- What each reader was served, for that reader alone; docs/adr/0027-uses-of-each-reader.md.

ALTER TABLE memories_readeruse SET (fillfactor = 70);
ALTER TABLE memories_readeruse DROP CONSTRAINT memories_readeruse_pkey;
ALTER TABLE memories_readeruse
    ADD CONSTRAINT reader_use_once PRIMARY KEY (organisation_id, memory_id, reader),
    ADD CONSTRAINT memories_readeruse_memory_id_fk
        FOREIGN KEY (organisation_id, memory_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_readeruse_member_id_fk
        FOREIGN KEY (organisation_id, member_id) REFERENCES orgs_member (organisation_id, id),
    ADD CONSTRAINT memories_readeruse_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
CREATE INDEX memories_readeruse_member_id_back ON memories_readeruse (organisation_id, member_id)
    WHERE member_id IS NOT NULL;
ALTER TABLE memories_readeruse ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_readeruse FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_readeruse_app_select ON memories_readeruse FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (reader = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)));
CREATE POLICY memories_readeruse_app_insert ON memories_readeruse FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (reader = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)));
CREATE POLICY memories_readeruse_app_update ON memories_readeruse FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (reader = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (reader = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)));
REVOKE DELETE ON memories_readeruse FROM commonmind_app;
CREATE POLICY memories_readeruse_worker_select ON memories_readeruse FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_readeruse_worker_update ON memories_readeruse FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_readeruse_worker_delete ON memories_readeruse FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, UPDATE, DELETE ON memories_readeruse TO commonmind_worker;

-- The worker adds what was reported on earlier days to what all readers know.
CREATE POLICY memories_feedback_worker_select ON memories_feedback FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_feedback_worker_update ON memories_feedback FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, UPDATE (learned, published) ON memories_feedback TO commonmind_worker;
GRANT UPDATE (told_at, published) ON memories_feedback TO commonmind_app;
CREATE INDEX memories_feedback_unpublished ON memories_feedback (organisation_id, told_at)
    WHERE counted_for IS NOT NULL AND NOT published;

-- A line of what was served is the reader's. Nobody knows for whom the older ones were served.
ALTER TABLE memories_operation NO FORCE ROW LEVEL SECURITY;
DELETE FROM memories_operation WHERE verb IN ('recall', 'evict');
ALTER TABLE memories_operation FORCE ROW LEVEL SECURITY;
ALTER POLICY memories_operation_app_select ON memories_operation
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])) AND (reader IS NULL OR reader = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid)));

-- A robot has another working memory for each member for whom it acts.
ALTER TABLE memories_workingentry NO FORCE ROW LEVEL SECURITY;
UPDATE memories_workingentry SET reader = audience_id;
ALTER TABLE memories_workingentry FORCE ROW LEVEL SECURITY;

-- Moves by use are shown to the readers of that time. Of the older ones nobody knows how many
-- could have caused them.
ALTER TABLE memories_transition NO FORCE ROW LEVEL SECURITY;
DELETE FROM memories_transition WHERE reason NOT IN ('asked', 'red_line', 'restored');
ALTER TABLE memories_transition FORCE ROW LEVEL SECURITY;
ALTER POLICY memories_transition_app_select ON memories_transition
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])) AND (moved_for IS NULL OR moved_for = audience_id));

-- Counts of before may be those of one reader.
ALTER TABLE memories_use NO FORCE ROW LEVEL SECURITY;
UPDATE memories_use SET given_tier = tier, given_since = tier_since, access_count = 0,
    last_accessed_at = NULL, since_accesses = 0, since_successes = 0, since_feedback = 0,
    updates = 0, successes = 0, failures = 0, surprise = 0;
ALTER TABLE memories_use FORCE ROW LEVEL SECURITY;

-- New readers learn nothing of how the former ones used it.
CREATE FUNCTION memories_use_of_new_readers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.tier := OLD.given_tier;
    NEW.tier_since := OLD.given_since;
    NEW.access_count := 0;
    NEW.last_accessed_at := NULL;
    NEW.since_accesses := 0;
    NEW.since_successes := 0;
    NEW.since_feedback := 0;
    NEW.updates := 0;
    NEW.successes := 0;
    NEW.failures := 0;
    NEW.surprise := 0;
    RETURN NEW;
END $$;
CREATE TRIGGER memories_use_of_new_readers BEFORE UPDATE OF audience_id ON memories_use
    FOR EACH ROW WHEN (NEW.audience_id IS DISTINCT FROM OLD.audience_id)
    EXECUTE FUNCTION memories_use_of_new_readers();
