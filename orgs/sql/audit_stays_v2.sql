-- An entry of the audit trail is never changed or deleted. One thing may be taken away: the worker,
-- who may write no column of it but `detail`, hides the name of somebody who is erased.

CREATE OR REPLACE FUNCTION public.orgs_auditentry_stays()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' AND current_user = 'commonmind_worker' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'insufficient_privilege';
END $function$;
