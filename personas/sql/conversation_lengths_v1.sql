-- How long the conversations are of members who have a persona: counts, of three members at least.
--
-- Whoever curates reads no conversation of others. This counts them without a word of any, and tells
-- nothing of a persona of which fewer than three members talked: the database itself withholds it.

GRANT SELECT (organisation_id, member_id, persona_id, confirmed_at) ON personas_association TO commonmind_searcher;
GRANT SELECT (organisation_id, id, sharing_off_at, removed_at) ON orgs_member TO commonmind_searcher;
GRANT SELECT (organisation_id, id, member_id, created_at) ON robots_conversation TO commonmind_searcher;
GRANT SELECT (organisation_id, conversation_id, withdrawn_at) ON robots_message TO commonmind_searcher;

SET ROLE commonmind_searcher;
CREATE FUNCTION search.conversation_lengths(since timestamptz)
 RETURNS TABLE(persona_id uuid, members bigint, conversations bigint, messages bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 20
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
BEGIN
    IF tenant IS NULL THEN RETURN; END IF;
    RETURN QUERY
    WITH talked AS (
        SELECT c.id, c.member_id, count(*) AS messages
        FROM public.robots_conversation c JOIN public.robots_message w
            ON w.organisation_id = c.organisation_id AND w.conversation_id = c.id
            AND w.withdrawn_at IS NULL
        WHERE c.organisation_id = tenant AND c.member_id IS NOT NULL AND c.created_at >= since
        GROUP BY c.id, c.member_id
    )
    SELECT s.persona_id, count(DISTINCT t.member_id), count(*), sum(t.messages)::bigint
    FROM talked t
    JOIN public.orgs_member m ON m.organisation_id = tenant AND m.id = t.member_id
        AND m.sharing_off_at IS NULL AND m.removed_at IS NULL
    JOIN public.personas_association s ON s.organisation_id = tenant
        AND s.member_id = t.member_id AND s.confirmed_at IS NOT NULL
    GROUP BY s.persona_id HAVING count(DISTINCT t.member_id) >= 3;
END $function$;
REVOKE ALL ON FUNCTION search.conversation_lengths(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.conversation_lengths(timestamptz) TO commonmind_app;
RESET ROLE;
