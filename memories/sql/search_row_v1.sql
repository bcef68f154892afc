-- The narrow row of a memory that recall looks at: its searched vector, and its words as numbers.
-- docs/adr/0012-fast-recall.md says why.

-- A word is a place among 536,870,912. Two words that share one touch the order of answers, nothing
-- else.
CREATE FUNCTION memories_word_place(word text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN 1 + (pg_catalog.hashtext(word) & 536870911);

-- A speaker's name as such a place; 0 where nobody is named.
CREATE FUNCTION memories_speaker_place(name text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN name = '' THEN 0 ELSE public.memories_word_place(name) END;

-- Words as numbers: 4, 3, 2, 1 for the labels A, B, C, D. A sparse vector holds 16,000 of them; of
-- more the best count.
CREATE FUNCTION memories_sparse_words(words tsvector) RETURNS sparsevec
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT ('{' || coalesce(string_agg(place || ':' || worth, ','), '') || '}/536870912')::sparsevec
        FROM (
            SELECT public.memories_word_place(lexeme) AS place, max(69 - ascii(weights[1])) AS worth
            FROM unnest(words) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 16000
        ) AS places
    );
REVOKE ALL ON FUNCTION memories_word_place(text), memories_speaker_place(text),
    memories_sparse_words(tsvector) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memories_word_place(text), memories_speaker_place(text),
    memories_sparse_words(tsvector)
    TO commonmind_app, commonmind_worker;

CREATE TABLE memories_search (
    organisation_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    audience_id uuid NOT NULL,
    group_id uuid,
    kind varchar(12) NOT NULL,
    model smallint,
    asks boolean NOT NULL,
    timed boolean NOT NULL,
    length integer NOT NULL,
    speaker integer NOT NULL,
    words sparsevec(536870912) NOT NULL,
    embedding halfvec(384),
    CONSTRAINT search_once PRIMARY KEY (organisation_id, memory_id),
    CONSTRAINT search_vector_has_model CHECK ((model IS NULL) = (embedding IS NULL)),
    CONSTRAINT memories_search_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT memories_search_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE,
    CONSTRAINT memories_search_group_id_fk
        FOREIGN KEY (organisation_id, group_id) REFERENCES orgs_group (organisation_id, id)
);
CREATE INDEX search_scan ON memories_search (organisation_id, audience_id);
CREATE INDEX memories_search_group_id_back ON memories_search (organisation_id, group_id)
    WHERE group_id IS NOT NULL;

-- What is there already.
ALTER TABLE memories_text NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_embedding NO FORCE ROW LEVEL SECURITY;
INSERT INTO memories_search (organisation_id, memory_id, audience_id, group_id, kind, model, asks,
                             timed, length, speaker, words, embedding)
SELECT t.organisation_id, t.memory_id, t.audience_id, t.group_id, t.kind, e.model, t.asks, t.timed,
    t.length, memories_speaker_place(t.speaker_key), memories_sparse_words(t.lexemes), e.embedding
FROM memories_text t LEFT JOIN LATERAL (
    SELECT e.model, e.embedding FROM memories_embedding e
    WHERE e.organisation_id = t.organisation_id AND e.memory_id = t.memory_id
    ORDER BY e.id DESC LIMIT 1
) AS e ON true;
ALTER TABLE memories_text FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_embedding FORCE ROW LEVEL SECURITY;

ALTER TABLE memories_search ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_search FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_search_app_select ON memories_search FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_search_app_insert ON memories_search FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_search_app_update ON memories_search FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_search_app_delete ON memories_search FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_search_worker_select ON memories_search FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_search_worker_insert ON memories_search FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_search_worker_update ON memories_search FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_search_worker_delete ON memories_search FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_search TO commonmind_worker;

-- The words follow memories_text in the same statement, whoever changes it: what is forgotten or
-- taken back there is gone here.
CREATE FUNCTION memories_search_insert() RETURNS trigger LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp' AS $function$
BEGIN
    INSERT INTO memories_search (organisation_id, memory_id, audience_id, group_id, kind, asks,
                                 timed, length, speaker, words)
    SELECT organisation_id, memory_id, audience_id, group_id, kind, asks, timed, length,
        memories_speaker_place(speaker_key), memories_sparse_words(lexemes)
    FROM fresh;
    RETURN NULL;
END $function$;
CREATE FUNCTION memories_search_update() RETURNS trigger LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp' AS $function$
BEGIN
    UPDATE memories_search s SET words = memories_sparse_words(fresh.lexemes),
        speaker = memories_speaker_place(fresh.speaker_key), length = fresh.length,
        asks = fresh.asks, timed = fresh.timed, group_id = fresh.group_id
    FROM fresh JOIN stale USING (id)
    WHERE s.organisation_id = fresh.organisation_id AND s.memory_id = fresh.memory_id
      AND (fresh.lexemes, fresh.length, fresh.asks, fresh.timed, fresh.group_id, fresh.speaker_key)
          IS DISTINCT FROM (stale.lexemes, stale.length, stale.asks, stale.timed, stale.group_id,
                            stale.speaker_key);
    RETURN NULL;
END $function$;
CREATE FUNCTION memories_search_delete() RETURNS trigger LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp' AS $function$
BEGIN
    DELETE FROM memories_search s USING stale
    WHERE s.organisation_id = stale.organisation_id AND s.memory_id = stale.memory_id;
    RETURN NULL;
END $function$;
REVOKE ALL ON FUNCTION memories_search_insert(), memories_search_update(), memories_search_delete()
    FROM PUBLIC;
CREATE TRIGGER text_is_searched AFTER INSERT ON memories_text
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION memories_search_insert();
CREATE TRIGGER text_is_searched_anew AFTER UPDATE ON memories_text
    REFERENCING OLD TABLE AS stale NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION memories_search_update();
CREATE TRIGGER text_is_gone AFTER DELETE ON memories_text
    REFERENCING OLD TABLE AS stale
    FOR EACH STATEMENT EXECUTE FUNCTION memories_search_delete();

-- The projection by kind holds the same row.
DROP INDEX partition_group_scan, partition_user_scan, partition_user_audience,
    partition_interaction_scan;
ALTER TABLE memories_partition
    ADD COLUMN asks boolean NOT NULL DEFAULT false,
    ADD COLUMN timed boolean NOT NULL DEFAULT false,
    ADD COLUMN speaker integer NOT NULL DEFAULT 0,
    ADD COLUMN words sparsevec(536870912) NOT NULL DEFAULT '{}/536870912';
ALTER TABLE memories_partition NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_search NO FORCE ROW LEVEL SECURITY;
UPDATE memories_partition p SET asks = s.asks, timed = s.timed, speaker = s.speaker, words = s.words
FROM memories_search s
WHERE s.organisation_id = p.organisation_id AND s.memory_id = p.memory_id;
ALTER TABLE memories_partition FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_search FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_partition
    ALTER COLUMN asks DROP DEFAULT, ALTER COLUMN timed DROP DEFAULT,
    ALTER COLUMN speaker DROP DEFAULT, ALTER COLUMN words DROP DEFAULT, DROP COLUMN lexemes;
CREATE INDEX partition_group_scan ON memories_partition_group (organisation_id, audience_id);
CREATE INDEX partition_user_scan ON memories_partition_user (organisation_id, owner);
CREATE INDEX partition_user_audience ON memories_partition_user (organisation_id, audience_id);
CREATE INDEX partition_interaction_scan ON memories_partition_interaction
    (organisation_id, audience_id);
