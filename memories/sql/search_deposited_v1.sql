-- Which of these texts and keys lie already where the asker may deposit, also where it may not read.

SET ROLE commonmind_searcher;
CREATE OR REPLACE FUNCTION search.deposited(hashes bytea[], keys text[])
 RETURNS TABLE(id uuid, audience_id uuid, content_hash bytea, key character varying, conversation character varying, occurred_at timestamp with time zone, deposited_by uuid, forgotten_by_subject boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 50
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
    open uuid[] := NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[];
BEGIN
    RETURN QUERY
    SELECT m.id, m.audience_id, m.content_hash, m.key, m.conversation, m.occurred_at,
           m.deposited_by, m.forgotten_by_subject
    FROM public.memories_memory m
    WHERE m.organisation_id = tenant AND m.audience_id = ANY (open)
      AND (m.content_hash = ANY (hashes) OR m.key = ANY (keys));
END $function$;
REVOKE ALL ON FUNCTION search.deposited(bytea[],text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.deposited(bytea[],text[]) TO commonmind_app;
RESET ROLE;
