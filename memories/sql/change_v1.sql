-- When a memory came to its readers, when it last changed, and when it left them; ids and words of a
-- fixed list alone. docs/adr/0049-changes.md
--
-- A position is the number of the transaction that wrote (xid8), not a sequence: a reader who has seen
-- everything below pg_snapshot_xmin(pg_current_snapshot()) misses nothing that commits later.

ALTER TABLE memories_change DROP CONSTRAINT memories_change_pkey;
ALTER TABLE memories_change
    ADD CONSTRAINT change_once PRIMARY KEY (organisation_id, memory_id),
    ADD CONSTRAINT memories_change_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    ADD CONSTRAINT memories_change_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE memories_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_change FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_change_app_select ON memories_change FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_change_app_insert ON memories_change FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])) OR (audience_id = ANY ((SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[])::uuid[]))));
CREATE POLICY memories_change_app_update ON memories_change FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_change_app_delete ON memories_change FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_change_worker_select ON memories_change FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_change_worker_insert ON memories_change FOR INSERT TO commonmind_worker
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_change_worker_update ON memories_change FOR UPDATE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_change_worker_delete ON memories_change FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_change TO commonmind_worker;

-- It outlives the memory and goes with its readers.
ALTER TABLE memories_departure
    ADD CONSTRAINT memories_departure_audience_id_fk
        FOREIGN KEY (organisation_id, audience_id)
        REFERENCES orgs_audience (organisation_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT memories_departure_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE memories_departure ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_departure FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_departure_app_select ON memories_departure FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_departure_app_insert ON memories_departure FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
CREATE POLICY memories_departure_worker_select ON memories_departure FOR SELECT TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_departure_worker_insert ON memories_departure FOR INSERT TO commonmind_worker
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
CREATE POLICY memories_departure_worker_delete ON memories_departure FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT, INSERT, DELETE ON memories_departure TO commonmind_worker;
REVOKE UPDATE, DELETE ON memories_departure FROM commonmind_app;

CREATE FUNCTION public.memories_add_departure(was public.memories_memory, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO public.memories_departure (id, organisation_id, audience_id, memory, since, at,
        reason, expires_at, left_on)
    VALUES (gen_random_uuid(), was.organisation_id, was.audience_id, was.id,
        coalesce((SELECT c.since FROM public.memories_change c
            WHERE c.organisation_id = was.organisation_id AND c.memory_id = was.id), 0),
        pg_current_xact_id()::text::bigint, reason, was.expires_at,
        (now() AT TIME ZONE 'UTC')::date);
END $function$;

CREATE FUNCTION public.memories_memory_came()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    here bigint := pg_current_xact_id()::text::bigint;
BEGIN
    -- No ON CONFLICT: a depositor does not read the row.
    INSERT INTO public.memories_change (organisation_id, memory_id, audience_id, kind, since, at,
        expires_at)
    VALUES (NEW.organisation_id, NEW.id, NEW.audience_id, NEW.kind, here, here, NEW.expires_at);
    RETURN NULL;
END $function$;

CREATE FUNCTION public.memories_memory_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    here bigint := pg_current_xact_id()::text::bigint;
    came boolean := OLD.status <> 'active' OR NEW.audience_id <> OLD.audience_id;
BEGIN
    IF OLD.status = 'active' AND (NEW.status <> 'active' OR came) THEN
        PERFORM public.memories_add_departure(OLD, CASE
            WHEN NEW.status = 'forgotten' AND NEW.audience_id = OLD.audience_id THEN 'forgotten'
            ELSE 'gone' END);
    END IF;
    IF NEW.status = 'active' THEN
        -- What is older than this table has no row: it was there from the beginning.
        INSERT INTO public.memories_change AS c (organisation_id, memory_id, audience_id, kind, since,
            at, expires_at)
        VALUES (NEW.organisation_id, NEW.id, NEW.audience_id, NEW.kind,
            CASE WHEN came THEN here ELSE 0 END, here, NEW.expires_at)
        ON CONFLICT (organisation_id, memory_id) DO UPDATE SET at = here,
            since = CASE WHEN came THEN here ELSE c.since END, expires_at = excluded.expires_at;
    ELSIF OLD.status = 'active' THEN
        DELETE FROM public.memories_change
        WHERE organisation_id = NEW.organisation_id AND memory_id = NEW.id;
    END IF;
    RETURN NULL;
END $function$;

CREATE FUNCTION public.memories_memory_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    -- An organisation that is removed has nobody left to be told; nor has an audience that goes in the
    -- same statement.
    IF EXISTS (SELECT FROM public.orgs_organisation
            WHERE id = OLD.organisation_id AND removed_at IS NULL)
        AND EXISTS (SELECT FROM public.orgs_audience
            WHERE organisation_id = OLD.organisation_id AND id = OLD.audience_id) THEN
        IF OLD.status = 'active' THEN
            PERFORM public.memories_add_departure(OLD, 'erased');
        ELSE
            -- An erasure forgets first. What was forgotten before is not told again: those who came
            -- meanwhile never had it.
            INSERT INTO public.memories_departure (id, organisation_id, audience_id, memory, since, at,
                reason, expires_at, left_on)
            SELECT gen_random_uuid(), d.organisation_id, d.audience_id, d.memory, d.since, d.at, 'erased',
                d.expires_at, d.left_on
            FROM public.memories_departure d
            WHERE d.organisation_id = OLD.organisation_id AND d.audience_id = OLD.audience_id
                AND d.at = pg_current_xact_id()::text::bigint AND d.memory = OLD.id;
        END IF;
    END IF;
    RETURN OLD;
END $function$;

CREATE TRIGGER memories_memory_came AFTER INSERT ON memories_memory FOR EACH ROW
    WHEN (NEW.status = 'active') EXECUTE FUNCTION memories_memory_came();
-- Of the columns that an answer shows; tests/memories/library/changes/test_change_feed.py compares them.
CREATE TRIGGER memories_memory_changed AFTER UPDATE ON memories_memory FOR EACH ROW
    WHEN ((OLD.status = 'active' OR NEW.status = 'active') AND (
            OLD.status, OLD.audience_id, OLD.kind, OLD.type, OLD.category, OLD.content, OLD.sealed,
            OLD.key, OLD.robot_id, OLD.author_id, OLD.speaker, OLD.speaker_member_id,
            OLD.reworded_by_id, OLD.reworded_by_robot_id, OLD.member_id, OLD.group_id, OLD.topic,
            OLD.tags, OLD.metadata, OLD.source, OLD.conversation, OLD.importance, OLD.confidence,
            OLD.sensitive, OLD.shareable, OLD.red_line, OLD.red_line_reason, OLD.remember_count,
            OLD.occurred_at, OLD.created_at, OLD.updated_at, OLD.expires_at, OLD.valid_from,
            OLD.valid_until, OLD.superseded_by_id, OLD.first_tier)
        IS DISTINCT FROM (
            NEW.status, NEW.audience_id, NEW.kind, NEW.type, NEW.category, NEW.content, NEW.sealed,
            NEW.key, NEW.robot_id, NEW.author_id, NEW.speaker, NEW.speaker_member_id,
            NEW.reworded_by_id, NEW.reworded_by_robot_id, NEW.member_id, NEW.group_id, NEW.topic,
            NEW.tags, NEW.metadata, NEW.source, NEW.conversation, NEW.importance, NEW.confidence,
            NEW.sensitive, NEW.shareable, NEW.red_line, NEW.red_line_reason, NEW.remember_count,
            NEW.occurred_at, NEW.created_at, NEW.updated_at, NEW.expires_at, NEW.valid_from,
            NEW.valid_until, NEW.superseded_by_id, NEW.first_tier))
    EXECUTE FUNCTION memories_memory_changed();
-- Before, because the row of memories_change goes with the memory.
CREATE TRIGGER memories_memory_deleted BEFORE DELETE ON memories_memory FOR EACH ROW
    EXECUTE FUNCTION memories_memory_deleted();

-- What ends by itself is told by its row, so what has an end already has one.
ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_change NO FORCE ROW LEVEL SECURITY;
INSERT INTO memories_change (organisation_id, memory_id, audience_id, kind, since, at, expires_at)
SELECT organisation_id, id, audience_id, kind, 0, 0, expires_at
FROM memories_memory WHERE status = 'active' AND expires_at IS NOT NULL;
ALTER TABLE memories_change FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
