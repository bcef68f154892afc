-- An entry of the audit trail is never changed or deleted.

CREATE OR REPLACE FUNCTION public.orgs_auditentry_stays()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'insufficient_privilege';
END $function$;

CREATE TRIGGER orgs_auditentry_stays
    BEFORE DELETE OR UPDATE OR TRUNCATE ON orgs_auditentry
    FOR EACH STATEMENT
    EXECUTE FUNCTION orgs_auditentry_stays();
