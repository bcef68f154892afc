-- A change of what a memory says counts its version up by one.

CREATE OR REPLACE FUNCTION public.memories_memory_number()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NEW.version <> OLD.version THEN
        NEW.version := OLD.version + 1;
    ELSIF (NEW.content, NEW.category, NEW.tags, NEW.metadata, NEW.audience_id)
        IS DISTINCT FROM (OLD.content, OLD.category, OLD.tags, OLD.metadata, OLD.audience_id)
    THEN
        NEW.version := OLD.version + 1;
        NEW.editor_id := NULL;
        NEW.editor_robot_id := NULL;
    END IF;
    RETURN NEW;
END $function$;

CREATE TRIGGER memories_memory_number
    BEFORE UPDATE OF content, category, tags, metadata, audience_id, version ON memories_memory
    FOR EACH ROW
    EXECUTE FUNCTION memories_memory_number();
