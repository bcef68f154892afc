-- Who wrote a memory and whose words it gives never change; erasing a person may take the name away.

CREATE OR REPLACE FUNCTION public.memories_memory_writer()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NEW.id IS DISTINCT FROM OLD.id OR NEW.organisation_id IS DISTINCT FROM OLD.organisation_id
        OR NEW.robot_id IS DISTINCT FROM OLD.robot_id
        OR (NEW.author_id IS DISTINCT FROM OLD.author_id
            AND NOT (NEW.author_id IS NULL AND current_user = 'commonmind_worker'))
        OR (NEW.speaker_member_id IS DISTINCT FROM OLD.speaker_member_id
            AND NOT (NEW.speaker_member_id IS NULL AND current_user = 'commonmind_worker'))
        OR (NEW.speaker IS DISTINCT FROM OLD.speaker
            AND NOT (NEW.speaker = '' AND current_user = 'commonmind_worker'))
    THEN
        RAISE EXCEPTION 'who wrote a memory never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $function$;

CREATE TRIGGER memories_memory_writer
    BEFORE UPDATE OF id, organisation_id, robot_id, author_id, speaker, speaker_member_id ON memories_memory
    FOR EACH ROW
    EXECUTE FUNCTION memories_memory_writer();
