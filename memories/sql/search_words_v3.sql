-- Which rows may be the best for a question by its words, within the audiences of the scope. The caller
-- scores them. docs/adr/0023-words-of-large-scopes.md says why, and what was measured.
--
-- Read are the words that rows say themselves; what neighbours lend is asked for around the best. Rows
-- are taken from the rarest word on, then those that share the rarest words with others.
--
-- The index knows the audiences too, and is searched once for each. For who reads much of the table
-- through many audiences that costs more than to look at the rows of a word and leave out the others.

SET ROLE commonmind_searcher;
CREATE OR REPLACE FUNCTION search.word_candidates(words text[], pool integer, total double precision)
 RETURNS TABLE(memory_id uuid, frequencies double precision[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 500
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
    open uuid[] := NULLIF(current_setting('app.audiences', true), '')::uuid[];
    term record;
    said float8;
    frequency float8;
    terms tsquery[] := '{}';
    saids float8[] := '{}';
    found float8[] := '{}';
    worth public.sparsevec;
    reached float8 := 0;
    rare tsquery;
    rarest tsquery;
    others tsquery;
    together tsquery;
    joined integer := 0;
    wide boolean;
BEGIN
    IF tenant IS NULL OR coalesce(cardinality(open), 0) = 0 THEN RETURN; END IF;
    -- A search of the index costs as much as some thirty rows that are looked at for nothing. The share
    -- that is read is at least this, because the table has every organisation's rows.
    wide := cardinality(open) * total / greatest(1, total, (
        SELECT c.reltuples FROM pg_class c WHERE c.oid = 'public.memories_text'::regclass)) > 15;
    -- How many rows say each word: by a sample where it is frequent, counted where it is rare. spread: for
    -- how many rows, of all that have it in their window, one says it.
    FOR term IN
        WITH given AS (
            SELECT w.place, ('''' || replace(replace(w.word, '\', '\\'), '''', '''''') || '''')::tsquery AS q
            FROM unnest(words) WITH ORDINALITY AS w (word, place)
        ), sample AS MATERIALIZED (
            SELECT s.lexemes, s.own FROM unnest(open) AS audience CROSS JOIN LATERAL (
                SELECT t.lexemes || ''::tsvector AS lexemes, length(t.own) AS own FROM public.memories_text t
                WHERE t.organisation_id = tenant AND t.audience_id = audience
                LIMIT ceil(500 / cardinality(open)::float8)::integer) AS s
        ), whole AS (
            SELECT count(*)::float8 AS sampled,
                greatest(1, sum(length(lexemes))::float8 / nullif(sum(own), 0)) AS spread FROM sample
        )
        SELECT g.q, whole.sampled, coalesce(whole.spread, 1) AS spread,
            (SELECT count(*) FROM sample s WHERE s.lexemes @@ g.q)::float8 AS hits
        FROM given g, whole ORDER BY g.place
    LOOP
        frequency := total * term.hits / greatest(term.sampled, 1);
        said := frequency / term.spread;
        IF term.hits < 15 THEN
            SELECT count(*) INTO said FROM (
                SELECT 1 FROM public.memories_text t
                WHERE t.organisation_id = tenant AND (wide OR t.audience_id = ANY (open))
                  AND (t.audience_id = ANY (open)) IS TRUE
                  AND t.own @@ term.q LIMIT 500) AS counted;
            IF said = 500 THEN said := greatest(said, frequency / term.spread); END IF;
            -- What the sample holds whole needs no estimate.
            IF term.sampled < total THEN frequency := said * term.spread; END IF;
        END IF;
        terms := terms || term.q;
        saids := saids || said;
        found := found || frequency;
    END LOOP;
    SELECT ('{' || string_agg(x.place || ':' || x.idf, ',') || '}/536870912')::public.sparsevec INTO worth FROM (
        SELECT public.memories_word_place(w.word) AS place,
            max(ln(1 + (greatest(total - w.df, 0) + .5) / (w.df + .5))) AS idf
        FROM unnest(words, found) AS w (word, df) GROUP BY 1) AS x WHERE x.idf > 0;
    FOR term IN
        SELECT w.q, w.said FROM unnest(terms, saids) WITH ORDINALITY AS w (q, said, place)
        WHERE w.said > 0 ORDER BY w.said, w.place
    LOOP
        IF reached < 300 OR reached + term.said <= 1500 THEN
            rare := CASE WHEN rare IS NULL THEN term.q ELSE rare || term.q END;
        END IF;
        reached := reached + term.said;
        IF joined < 3 THEN
            together := CASE WHEN together IS NULL THEN term.q ELSE together && term.q END;
            joined := joined + 1;
        END IF;
        IF rarest IS NULL THEN rarest := term.q;
        ELSE others := CASE WHEN others IS NULL THEN term.q ELSE others || term.q END;
        END IF;
    END LOOP;
    IF rare IS NULL OR worth IS NULL THEN RETURN; END IF;
    RETURN QUERY
    WITH said AS MATERIALIZED (
        (SELECT t.memory_id AS id FROM public.memories_text t
         WHERE t.organisation_id = tenant AND (wide OR t.audience_id = ANY (open))
           AND (t.audience_id = ANY (open)) IS TRUE AND t.own @@ together LIMIT 1000)
        UNION
        (SELECT t.memory_id FROM public.memories_text t
         WHERE t.organisation_id = tenant AND (wide OR t.audience_id = ANY (open))
           AND (t.audience_id = ANY (open)) IS TRUE AND t.own @@ (rarest && others) LIMIT 1500)
        UNION
        (SELECT t.memory_id FROM public.memories_text t
         WHERE t.organisation_id = tenant AND (wide OR t.audience_id = ANY (open))
           AND (t.audience_id = ANY (open)) IS TRUE AND t.own @@ rare LIMIT 2000)
    ), best AS MATERIALIZED (
        SELECT said.id, s.words OPERATOR(public.<#>) worth AS points
        FROM said JOIN public.memories_search s ON s.organisation_id = tenant AND s.memory_id = said.id
        ORDER BY 2, 1 LIMIT 3 * pool
    ), around AS (
        SELECT near.id FROM (SELECT b.id FROM best b ORDER BY b.points, b.id LIMIT 50) AS b
        JOIN public.memories_memory m ON m.organisation_id = tenant AND m.id = b.id
        CROSS JOIN LATERAL (
            (SELECT x.id FROM public.memories_memory x
             WHERE x.organisation_id = tenant AND x.conversation = m.conversation
               AND x.audience_id = m.audience_id AND x.status = 'active'
               AND (x.position, x.id) < (m.position, m.id)
             ORDER BY x.position DESC, x.id DESC LIMIT 5)
            UNION ALL
            (SELECT x.id FROM public.memories_memory x
             WHERE x.organisation_id = tenant AND x.conversation = m.conversation
               AND x.audience_id = m.audience_id AND x.status = 'active'
               AND (x.position, x.id) > (m.position, m.id)
             ORDER BY x.position, x.id LIMIT 5)
        ) AS near
    )
    SELECT u.id, found FROM (SELECT b.id FROM best b UNION SELECT a.id FROM around a) AS u;
END $function$;
REVOKE ALL ON FUNCTION search.word_candidates(text[],integer,double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.word_candidates(text[],integer,double precision) TO commonmind_app;
RESET ROLE;
