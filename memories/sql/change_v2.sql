-- A departure says when the memory changed last while they had it: its end may have been put before the
-- beginning of somebody's window, who had it all the same. docs/adr/0049-changes.md

CREATE OR REPLACE FUNCTION public.memories_add_departure(was public.memories_memory, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO public.memories_departure (id, organisation_id, audience_id, memory, since, at,
        reason, expires_at, last_change, left_on)
    SELECT gen_random_uuid(), was.organisation_id, was.audience_id, was.id, coalesce(c.since, 0),
        pg_current_xact_id()::text::bigint, reason, was.expires_at, coalesce(c.at, 0),
        (now() AT TIME ZONE 'UTC')::date
    FROM (SELECT 1) AS one LEFT JOIN public.memories_change c
        ON c.organisation_id = was.organisation_id AND c.memory_id = was.id;
END $function$;

CREATE OR REPLACE FUNCTION public.memories_memory_deleted()
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
                reason, expires_at, last_change, left_on)
            SELECT gen_random_uuid(), d.organisation_id, d.audience_id, d.memory, d.since, d.at, 'erased',
                d.expires_at, d.last_change, d.left_on
            FROM public.memories_departure d
            WHERE d.organisation_id = OLD.organisation_id AND d.audience_id = OLD.audience_id
                AND d.at = pg_current_xact_id()::text::bigint AND d.memory = OLD.id;
        END IF;
    END IF;
    RETURN OLD;
END $function$;
