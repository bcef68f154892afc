-- Searched vectors beside those of the narrow rows: of the second model of an organisation.
-- docs/adr/0051-key-of-a-vector.md says why. A vector of (organisation, memory, model, part) stands
-- either here or in memories_search, which has part 0 of one model.

CREATE TABLE memories_vector (
    organisation_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    audience_id uuid NOT NULL,
    kind varchar(12) NOT NULL,
    model smallint NOT NULL,
    part smallint NOT NULL DEFAULT 0,
    embedding halfvec(384) NOT NULL,
    CONSTRAINT vector_once PRIMARY KEY (organisation_id, memory_id, model, part),
    CONSTRAINT vector_part_known CHECK (part >= 0),
    CONSTRAINT memories_vector_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT memories_vector_organisation_id_fk
        FOREIGN KEY (organisation_id) REFERENCES orgs_organisation (id) ON DELETE CASCADE
);
CREATE INDEX vector_scan ON memories_vector (organisation_id, model, audience_id);

ALTER TABLE memories_vector ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories_vector FORCE ROW LEVEL SECURITY;
CREATE POLICY memories_vector_app_select ON memories_vector FOR SELECT TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_vector_app_insert ON memories_vector FOR INSERT TO commonmind_app
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND ((audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) OR (audience_id = ANY (( SELECT NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[] AS "nullif")::uuid[]))));
CREATE POLICY memories_vector_app_update ON memories_vector FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_vector_app_delete ON memories_vector FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
CREATE POLICY memories_vector_worker_select ON memories_vector FOR SELECT TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_vector_worker_insert ON memories_vector FOR INSERT TO commonmind_worker
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_vector_worker_update ON memories_vector FOR UPDATE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)
    WITH CHECK (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
CREATE POLICY memories_vector_worker_delete ON memories_vector FOR DELETE TO commonmind_worker
    USING (organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_vector TO commonmind_worker;

-- Whatever leaves the search by words has no vector here either, in the same statement.
CREATE FUNCTION memories_vector_delete() RETURNS trigger LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp' AS $function$
BEGIN
    DELETE FROM memories_vector v USING stale
    WHERE v.organisation_id = stale.organisation_id AND v.memory_id = stale.memory_id;
    RETURN NULL;
END $function$;
REVOKE ALL ON FUNCTION memories_vector_delete() FROM PUBLIC;
CREATE TRIGGER text_has_no_vector AFTER DELETE ON memories_text
    REFERENCING OLD TABLE AS stale
    FOR EACH STATEMENT EXECUTE FUNCTION memories_vector_delete();
