-- A version never changes, but its text is encrypted when its memory becomes sensitive, and again
-- under a newer key. The column grants let the application write nothing else, and the trigger lets it
-- write no plain text at all. The worker hides the names of the erased in what is plain.

CREATE FUNCTION public.memories_version_sealed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF (NEW.sealed IS NULL OR NEW.content <> '')
        AND NOT (current_user = 'commonmind_worker' AND OLD.sealed IS NULL AND NEW.sealed IS NULL)
    THEN
        RAISE EXCEPTION 'a version is only ever encrypted' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $function$;

CREATE TRIGGER memories_version_sealed
    BEFORE UPDATE OF content, sealed ON memories_version
    FOR EACH ROW
    EXECUTE FUNCTION memories_version_sealed();

CREATE POLICY memories_version_app_update ON memories_version FOR UPDATE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) AND (audience_then_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])))
    WITH CHECK ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])) AND (audience_then_id = ANY (( SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[] AS "nullif")::uuid[])));
GRANT UPDATE (content, sealed) ON memories_version TO commonmind_app, commonmind_worker;

-- What a language model answered holds a hash of two texts, which can be guessed of short ones. Whoever
-- makes a memory sensitive takes it away.
CREATE POLICY memories_modelanswer_app_delete ON memories_modelanswer FOR DELETE TO commonmind_app
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid) AND (audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])));
GRANT DELETE ON memories_modelanswer TO commonmind_app;
