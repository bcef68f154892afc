-- Who said a message never changes; erasing a person may take the name away.

CREATE OR REPLACE FUNCTION public.robots_message_writer()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF (NEW.speaker IS DISTINCT FROM OLD.speaker OR NEW.speaker_key IS DISTINCT FROM OLD.speaker_key OR NEW.robot_id IS DISTINCT FROM OLD.robot_id OR NEW.author_id IS DISTINCT FROM OLD.author_id OR NEW.speaker_member_id IS DISTINCT FROM OLD.speaker_member_id) AND NOT (current_user = 'commonmind_worker' AND NEW.speaker IN ('', OLD.speaker) AND NEW.speaker_key IN ('', OLD.speaker_key) AND NEW.robot_id IS NOT DISTINCT FROM OLD.robot_id AND (NEW.author_id IS NULL OR NEW.author_id = OLD.author_id) AND (NEW.speaker_member_id IS NULL OR NEW.speaker_member_id = OLD.speaker_member_id)) THEN
        RAISE EXCEPTION 'who said a message never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $function$;

CREATE TRIGGER robots_message_writer
    BEFORE UPDATE OF speaker, speaker_key, robot_id, author_id, speaker_member_id ON robots_message
    FOR EACH ROW
    EXECUTE FUNCTION robots_message_writer();
