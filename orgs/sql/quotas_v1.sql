-- How much an organisation keeps and may keep; docs/adr/0050-quotas.md. The database counts, so that
-- no way of writing is forgotten, and refuses what the application writes beyond a quota. Workers and
-- commands are counted and not refused: what they derive stands for something that was let in.

ALTER TABLE orgs_quota
    ADD CONSTRAINT orgs_quota_tenant UNIQUE (organisation_id, id),
    ADD CONSTRAINT orgs_quota_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE orgs_quota ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_quota FORCE ROW LEVEL SECURITY;
CREATE POLICY orgs_quota_app_select ON orgs_quota FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
-- A new organisation gets the quota of the settings. Only a command changes it, as the
-- worker.
CREATE POLICY orgs_quota_app_insert ON orgs_quota FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE, DELETE ON orgs_quota FROM commonmind_app;
CREATE POLICY orgs_quota_worker_select ON orgs_quota FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_quota_worker_insert ON orgs_quota FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_quota_worker_update ON orgs_quota FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE ON orgs_quota TO commonmind_worker;

ALTER TABLE orgs_usage DROP CONSTRAINT orgs_usage_pkey;
ALTER TABLE orgs_usage
    ADD CONSTRAINT usage_once PRIMARY KEY (organisation_id, id),
    ADD CONSTRAINT orgs_usage_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE;
ALTER TABLE orgs_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY orgs_usage_app_select ON orgs_usage FOR SELECT TO commonmind_app
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_usage_app_insert ON orgs_usage FOR INSERT TO commonmind_app
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE UPDATE, DELETE ON orgs_usage FROM commonmind_app;
-- The worker counts what it writes, and adds the rows up.
CREATE POLICY orgs_usage_worker_select ON orgs_usage FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_usage_worker_insert ON orgs_usage FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY orgs_usage_worker_delete ON orgs_usage FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, DELETE ON orgs_usage TO commonmind_worker;

-- Raises `quota` if the application keeps more of a resource than the organisation may. more: what the
-- statement has added, which `kept` contains.
CREATE FUNCTION public.orgs_check_quota(resource text, kept bigint, more bigint, allowed bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF more > 0 AND kept > allowed AND current_user = 'commonmind_app' THEN
        RAISE EXCEPTION 'quota' USING ERRCODE = 'CM001', DETAIL = json_build_object(
            'resource', resource, 'used', kept - more, 'allowed', allowed)::text;
    END IF;
END $function$;

-- Counts what a statement has added to an organisation; below 0 what it has taken away.
CREATE FUNCTION public.orgs_add_usage(tenant uuid, more_memories bigint, more_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    allowed record;
    kept record;
BEGIN
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

-- Groups and robots are few: they are counted where one is added. Its argument: which of the two.
CREATE FUNCTION public.orgs_rows_added()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
    allowed bigint;
    kept bigint;
    more bigint;
BEGIN
    EXECUTE format('SELECT %I FROM public.orgs_quota WHERE organisation_id = $1', TG_ARGV[0])
        INTO allowed USING tenant;
    IF allowed IS NULL THEN RETURN NULL; END IF;
    -- Only those that count, both now and among what the statement has added.
    EXECUTE format('SELECT count(*) FROM %I.%I r WHERE organisation_id = $1 AND %s',
        TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_ARGV[1]) INTO kept USING tenant;
    EXECUTE format('SELECT count(*) FROM changed r WHERE %s', TG_ARGV[1]) INTO more;
    PERFORM public.orgs_check_quota(TG_ARGV[0], kept, more, allowed);
    RETURN NULL;
END $function$;

CREATE TRIGGER orgs_group_quota AFTER INSERT ON orgs_group
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION orgs_rows_added('groups', 'true');
