-- What whoever runs the server sees of its organisations: counts and times, and no text of theirs.
-- A superuser alone is answered; the functions are executable by the role `support`.
-- docs/adr/0060-server-page.md

GRANT SELECT (created_at, suspended_at, suspended_for) ON orgs_organisation
    TO commonmind_searcher;
GRANT SELECT (organisation_id, memories, bytes) ON orgs_usage TO commonmind_searcher;
GRANT SELECT (organisation_id, memories, bytes) ON orgs_quota TO commonmind_searcher;
GRANT SELECT (organisation_id, retired_at, builtin, last_active_at) ON robots_robot TO commonmind_searcher;
GRANT SELECT (organisation_id) ON orgs_group TO commonmind_searcher;
GRANT SELECT (organisation_id, state, created_at, leased_until) ON memories_pending TO commonmind_searcher;
GRANT SELECT (organisation_id, state, queued_at, leased_until) ON memories_job TO commonmind_searcher;

SET ROLE commonmind_searcher;

-- Up to `most` organisations behind the place of `after` (their number in this order), those that keep the
-- most bytes first; with words those whose name or short name has them. An id finds the one that has it, and
-- none that is only called so. Null for who is no superuser.
CREATE FUNCTION search.server_organisations(words text, after integer, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    asker uuid := NULLIF(current_setting('app.user', true), '')::uuid;
    wanted uuid := CASE WHEN pg_input_is_valid(words, 'uuid') THEN words::uuid END;
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.orgs_user u
        WHERE u.id = asker AND u.is_active AND u.is_staff AND u.is_superuser)
    THEN RETURN NULL; END IF;
    RETURN (
        WITH kept AS (
            SELECT u.organisation_id, sum(u.memories) AS memories, sum(u.bytes) AS bytes
            FROM public.orgs_usage u GROUP BY u.organisation_id
        ), page AS (
            SELECT o.id, o.name, o.slug, o.created_at, o.suspended_at, o.suspended_for,
                coalesce(k.memories, 0) AS memories, coalesce(k.bytes, 0) AS bytes
            FROM public.orgs_organisation o LEFT JOIN kept k ON k.organisation_id = o.id
            WHERE o.removed_at IS NULL AND CASE
                WHEN wanted IS NOT NULL THEN o.id = wanted
                ELSE strpos(lower(o.name), lower(words)) > 0 OR strpos(o.slug, lower(words)) > 0
                END
            ORDER BY coalesce(k.bytes, 0) DESC, o.id OFFSET after LIMIT most
        )
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', p.id, 'name', p.name, 'slug', p.slug, 'created_at', p.created_at,
            'suspended_at', p.suspended_at, 'suspended_for', p.suspended_for,
            'memories', p.memories, 'bytes', p.bytes,
            'most_memories', (SELECT q.memories FROM public.orgs_quota q
                WHERE q.organisation_id = p.id),
            'most_bytes', (SELECT q.bytes FROM public.orgs_quota q
                WHERE q.organisation_id = p.id),
            'members', (SELECT count(*) FROM public.orgs_member m
                WHERE m.organisation_id = p.id AND m.joined_at IS NOT NULL
                  AND m.removed_at IS NULL),
            'groups', (SELECT count(*) FROM public.orgs_group g WHERE g.organisation_id = p.id),
            'robots', r.count, 'robots_active_at', r.active_at,
            'waiting', (SELECT count(*) FROM public.memories_pending w
                WHERE w.organisation_id = p.id AND w.state IN ('waiting', 'leased')),
            'given_up', (SELECT count(*) FROM public.memories_pending w
                    WHERE w.organisation_id = p.id AND w.state = 'dead')
                + (SELECT count(*) FROM public.memories_job j
                    WHERE j.organisation_id = p.id AND j.state = 'dead'))
            ORDER BY p.bytes DESC, p.id), '[]')
        FROM page p, LATERAL (
            SELECT count(*), max(x.last_active_at) AS active_at FROM public.robots_robot x
            WHERE x.organisation_id = p.id AND x.retired_at IS NULL AND x.builtin IS NULL) AS r);
END $function$;

-- The same of all together. `oldest_at`: since when the work waits that waits longest and that nobody does.
CREATE FUNCTION search.server_totals()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    asker uuid := NULLIF(current_setting('app.user', true), '')::uuid;
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.orgs_user u
        WHERE u.id = asker AND u.is_active AND u.is_staff AND u.is_superuser)
    THEN RETURN NULL; END IF;
    RETURN (
        SELECT jsonb_build_object(
            'organisations', (SELECT count(*) FROM public.orgs_organisation o
                WHERE o.removed_at IS NULL),
            'suspended', (SELECT count(*) FROM public.orgs_organisation o
                WHERE o.removed_at IS NULL AND o.suspended_at IS NOT NULL),
            'being_removed', (SELECT count(*) FROM public.orgs_organisation o
                WHERE o.removed_at IS NOT NULL),
            'accounts', (SELECT count(*) FROM public.orgs_user u WHERE u.is_active),
            'memories', (SELECT coalesce(sum(u.memories), 0) FROM public.orgs_usage u),
            'bytes', (SELECT coalesce(sum(u.bytes), 0) FROM public.orgs_usage u),
            'vectors', (SELECT coalesce(jsonb_object_agg(s.state, s.count), '{}') FROM (
                SELECT w.state, count(*) FROM public.memories_pending w GROUP BY w.state) AS s),
            'jobs', (SELECT coalesce(jsonb_object_agg(s.state, s.count), '{}') FROM (
                SELECT j.state, count(*) FROM public.memories_job j
                WHERE j.state IN ('waiting', 'running', 'dead') GROUP BY j.state) AS s),
            'oldest_at', least(
                (SELECT min(w.created_at) FROM public.memories_pending w
                    WHERE w.state = 'waiting' OR w.state = 'leased' AND w.leased_until < now()),
                (SELECT min(j.queued_at) FROM public.memories_job j
                    WHERE j.state = 'waiting' OR j.state = 'running' AND j.leased_until < now()))));
END $function$;

REVOKE ALL ON FUNCTION search.server_organisations(text, integer, integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION search.server_totals() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.server_organisations(text, integer, integer) TO commonmind_support;
GRANT EXECUTE ON FUNCTION search.server_totals() TO commonmind_support;
RESET ROLE;
