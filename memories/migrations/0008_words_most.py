"""Search by words over a large scope tells what every word of the question would be worth."""

from django.db import migrations

from orgs.database.protect import APP, SEARCHER

# `@@` is not leakproof, so under row-level security its index is never used. This function reads
# past it, but only what the settings of the transaction name: it takes neither the organisation
# nor the audiences as an argument.
#
# Counting and ranking every row that shares a common word would take most of a second, so the
# rarest words of the question choose the candidates (those in at most CAP readable rows, else the
# rarest one), and all its words rank them. A word's frequency is counted up to CAP and beyond
# that estimated from a sample; both over readable rows, so that hidden rows change no score.
CAP, SAMPLE, CANDIDATES = 1000, 1000, 4000

WORDS = rf"""
SET ROLE {SEARCHER};
DROP FUNCTION search.words(regconfig, text, integer, integer);
CREATE FUNCTION search.words(language regconfig, question text, at_most integer, pool integer)
RETURNS TABLE (memory_id uuid, score float8, most float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 200
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
AS $$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
    open uuid[] := NULLIF(current_setting('app.audiences', true), '')::uuid[];
    total float8;
    sampled float8;
    term record;
    frequency float8;
    best float8 := 0;
    terms tsquery[] := '{{}}';
    frequencies float8[] := '{{}}';
    chosen tsquery;
    rarest integer;
BEGIN
    IF tenant IS NULL OR open IS NULL THEN RETURN; END IF;
    SELECT count(*) INTO total FROM public.memories_text t
        WHERE t.organisation_id = tenant AND t.audience_id = ANY (open);
    sampled := least(total, {SAMPLE});
    FOR term IN
        SELECT ('''' || replace(replace(w.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery AS q
        FROM unnest(to_tsvector(language, question)) AS w LIMIT at_most
    LOOP
        SELECT count(*) INTO frequency FROM (
            SELECT 1 FROM public.memories_text t
            WHERE t.organisation_id = tenant AND t.audience_id = ANY (open)
              AND t.lexemes @@ term.q LIMIT {CAP} + 1) AS found;
        IF frequency > {CAP} THEN
            SELECT greatest({CAP} + 1, total / sampled * count(*) FILTER (WHERE s.lexemes @@ term.q))
            INTO frequency FROM (
                SELECT t.lexemes FROM public.memories_text t
                WHERE t.organisation_id = tenant AND t.audience_id = ANY (open)
                LIMIT {SAMPLE}) AS s;
        END IF;
        best := best + ln(1 + (total - frequency + .5) / (frequency + .5));
        CONTINUE WHEN frequency = 0;
        terms := terms || term.q;
        frequencies := frequencies || frequency;
        IF frequency <= {CAP} THEN
            chosen := CASE WHEN chosen IS NULL THEN term.q ELSE chosen || term.q END;
        END IF;
    END LOOP;
    IF cardinality(terms) = 0 THEN RETURN; END IF;
    IF chosen IS NULL THEN
        SELECT i INTO rarest FROM generate_subscripts(frequencies, 1) AS i
            ORDER BY frequencies[i] LIMIT 1;
        chosen := terms[rarest];
    END IF;
    RETURN QUERY
    WITH candidates AS MATERIALIZED (
        SELECT t.memory_id, t.lexemes, t.length FROM public.memories_text t
        WHERE t.organisation_id = tenant AND t.audience_id = ANY (open) AND t.lexemes @@ chosen
        LIMIT {CANDIDATES}
    ), worth AS (
        SELECT c.memory_id, c.length,
            ln(1 + (total - w.df + .5) / (w.df + .5)) AS idf,
            ts_rank('{{.3,.5,.7,1}}', c.lexemes, w.q) * 1.64493406685 AS label
        FROM candidates c CROSS JOIN unnest(terms, frequencies) AS w (q, df)
    )
    SELECT x.memory_id, sum(x.idf * CASE WHEN x.label > .99
        THEN x.label / (.5 + .5 * greatest(1, x.length / 40.0)) ELSE x.label END) AS points, best
    FROM worth x GROUP BY x.memory_id ORDER BY points DESC, x.memory_id DESC LIMIT pool;
END $$;
REVOKE ALL ON FUNCTION search.words(regconfig, text, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.words(regconfig, text, integer, integer) TO {APP};
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0007_history")]

    operations = [migrations.RunSQL(WORDS, migrations.RunSQL.noop)]
