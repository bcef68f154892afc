-- The best rows for a question by its words alone, within the audiences of the scope.

SET ROLE commonmind_searcher;
CREATE OR REPLACE FUNCTION search.words(language regconfig, question text, at_most integer, pool integer, total double precision)
 RETURNS TABLE(memory_id uuid, score double precision, most double precision)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 200
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
    open uuid[] := NULLIF(current_setting('app.audiences', true), '')::uuid[];
    term record;
    frequency float8;
    best float8 := 0;
    terms tsquery[] := '{}';
    frequencies float8[] := '{}';
    chosen tsquery;
BEGIN
    IF tenant IS NULL OR coalesce(cardinality(open), 0) = 0 THEN RETURN; END IF;
    FOR term IN
        WITH words AS (
            SELECT ('''' || replace(replace(w.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery AS q
            FROM unnest(to_tsvector(language, question)) AS w LIMIT at_most
        ), sample AS MATERIALIZED (
            SELECT s.lexemes FROM unnest(open) AS audience CROSS JOIN LATERAL (
                SELECT t.lexemes || ''::tsvector AS lexemes FROM public.memories_text t
                WHERE t.organisation_id = tenant AND t.audience_id = audience
                LIMIT ceil(1000 / cardinality(open)::float8)::integer) AS s
        )
        SELECT w.q, count(s.lexemes) AS hits, (SELECT count(*) FROM sample) AS sampled
        FROM words w LEFT JOIN sample s ON s.lexemes @@ w.q GROUP BY w.q
    LOOP
        IF term.hits >= 10 THEN
            frequency := total * term.hits / term.sampled;
        ELSE
            SELECT count(*) INTO frequency FROM (
                SELECT 1 FROM public.memories_text t
                WHERE t.organisation_id = tenant AND t.audience_id = ANY (open)
                  AND t.lexemes @@ term.q LIMIT 1000 + 1) AS found;
        END IF;
        best := best + ln(1 + (greatest(total - frequency, 0) + .5) / (frequency + .5));
        CONTINUE WHEN frequency = 0;
        terms := terms || term.q;
        frequencies := frequencies || frequency;
    END LOOP;
    FOR term IN
        SELECT w.q, sum(w.df) OVER (ORDER BY w.df, w.place) AS reached
        FROM unnest(terms, frequencies) WITH ORDINALITY AS w (q, df, place) ORDER BY 2
    LOOP
        EXIT WHEN chosen IS NOT NULL AND term.reached > 2000;
        chosen := CASE WHEN chosen IS NULL THEN term.q ELSE chosen || term.q END;
    END LOOP;
    IF chosen IS NULL THEN RETURN; END IF;
    RETURN QUERY
    WITH candidates AS MATERIALIZED (
        SELECT t.memory_id, t.lexemes || ''::tsvector AS lexemes, t.length
        FROM public.memories_text t
        WHERE t.organisation_id = tenant AND t.audience_id = ANY (open) AND t.lexemes @@ chosen
        LIMIT 2 * 2000
    ), worth AS (
        SELECT c.memory_id, c.length,
            ln(1 + (greatest(total - w.df, 0) + .5) / (w.df + .5)) AS idf,
            ts_rank('{.3,.5,.7,1}', c.lexemes, w.q) * 1.64493406685 AS label
        FROM candidates c JOIN unnest(terms, frequencies) AS w (q, df) ON c.lexemes @@ w.q
    )
    SELECT x.memory_id, sum(x.idf * CASE WHEN x.label > .99
        THEN x.label / (.5 + .5 * greatest(1, x.length / 40::float8)) ELSE x.label END) AS points, best
    FROM worth x GROUP BY x.memory_id ORDER BY points DESC, x.memory_id DESC LIMIT pool;
END $function$;
REVOKE ALL ON FUNCTION search.words(regconfig,text,integer,integer,double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.words(regconfig,text,integer,integer,double precision) TO commonmind_app;
RESET ROLE;
