-- A change of what a memory says counts its version up by one. To encrypt a text, or to store it in
-- plain again, is no such change: it says the same.

CREATE OR REPLACE FUNCTION public.memories_memory_number()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NEW.version <> OLD.version THEN
        NEW.version := OLD.version + 1;
    ELSIF (NEW.category, NEW.tags, NEW.metadata, NEW.audience_id)
            IS DISTINCT FROM (OLD.category, OLD.tags, OLD.metadata, OLD.audience_id)
        OR (NEW.content IS DISTINCT FROM OLD.content
            AND (NEW.sealed IS NULL) = (OLD.sealed IS NULL))
    THEN
        NEW.version := OLD.version + 1;
        NEW.editor_id := NULL;
        NEW.editor_robot_id := NULL;
    END IF;
    RETURN NEW;
END $function$;
