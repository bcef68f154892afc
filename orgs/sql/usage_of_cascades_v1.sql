-- Rows that go with the row that they refer to are deleted in the role of the owner of the tables,
-- which may not write what an organisation keeps. That happens while an organisation is removed,
-- and then nothing is counted.
CREATE OR REPLACE FUNCTION public.orgs_add_usage(tenant uuid, more_memories bigint, more_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    allowed record;
    kept record;
BEGIN
    IF current_user = 'commonmind_owner' THEN RETURN; END IF;
    -- While an organisation is being deleted it is counted no more.
    INSERT INTO public.orgs_usage (id, organisation_id, memories, bytes)
    SELECT gen_random_uuid(), o.id, more_memories, more_bytes
    FROM public.orgs_organisation o WHERE o.id = tenant;
    IF current_user <> 'commonmind_app' THEN RETURN; END IF;
    SELECT q.memories, q.bytes INTO allowed FROM public.orgs_quota q
    WHERE q.organisation_id = tenant AND (q.memories IS NOT NULL OR q.bytes IS NOT NULL);
    IF FOUND THEN
        SELECT sum(u.memories) AS memories, sum(u.bytes) AS bytes INTO kept
        FROM public.orgs_usage u WHERE u.organisation_id = tenant;
        PERFORM public.orgs_check_quota('memories', kept.memories::bigint, more_memories, allowed.memories);
        PERFORM public.orgs_check_quota('bytes', kept.bytes::bigint, more_bytes, allowed.bytes);
    END IF;
END $function$;
