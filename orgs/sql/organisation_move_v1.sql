-- What moves to another server, and what each server says of it (docs/adr/0074-moving.md).

-- A move is of the whole server: no role of the service sees it.
ALTER TABLE orgs_organisationmove ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_organisationmove FORCE ROW LEVEL SECURITY;
REVOKE ALL ON orgs_organisationmove FROM commonmind_app;

-- Whoever opens a scope is told of its organisation alone, and changes nothing.
ALTER TABLE orgs_organisationfence ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_organisationfence FORCE ROW LEVEL SECURITY;
CREATE POLICY orgs_organisationfence_select ON orgs_organisationfence FOR SELECT
    TO commonmind_app, commonmind_worker, commonmind_support, commonmind_owner
    USING (id = NULLIF(current_setting('app.organisation', true), '')::uuid);
REVOKE ALL ON orgs_organisationfence FROM commonmind_app;
GRANT SELECT ON orgs_organisationfence TO commonmind_app, commonmind_worker, commonmind_support;

-- Part of the statement that opens a scope, behind the settings. A sealed organisation is read, and the
-- transaction writes nothing more; that cannot be taken back inside it. Of one that moved, transactions
-- read on that had begun before.
CREATE FUNCTION public.orgs_check_fence()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    fence public.orgs_organisationfence;
BEGIN
    SELECT f.* INTO fence FROM public.orgs_organisationfence f
    WHERE f.id = NULLIF(pg_catalog.current_setting('app.organisation', true), '')::uuid;
    IF NOT FOUND THEN
        RETURN true;
    END IF;
    IF fence.state = 'sealed' AND fence.until <= pg_catalog.clock_timestamp() THEN
        RETURN true;
    END IF;
    IF fence.state = 'sealed' OR fence.since > pg_catalog.transaction_timestamp() THEN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN false;
    END IF;
    RAISE EXCEPTION 'the organisation lies on another server' USING ERRCODE = 'CM002';
END $function$;
