-- From when a memory of a profession holds is a day, as its other times (lesson_days_v1.sql).

CREATE OR REPLACE FUNCTION public.memories_memory_days()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF public.is_lesson(NEW.organisation_id, NEW.audience_id, NEW.proposed_audience_id) THEN
        NEW.occurred_at := public.day_of(NEW.occurred_at);
        NEW.created_at := public.day_of(NEW.created_at);
        NEW.updated_at := public.day_of(NEW.updated_at);
        NEW.valid_from := public.day_of(NEW.valid_from);
        NEW.valid_until := public.day_of(NEW.valid_until);
        NEW.archived_at := public.day_of(NEW.archived_at);
        NEW.restored_at := public.day_of(NEW.restored_at);
        NEW.forgotten_at := public.day_of(NEW.forgotten_at);
        NEW.red_line_at := public.day_of(NEW.red_line_at);
        NEW.expires_at := public.end_of_day(NEW.expires_at);
    END IF;
    RETURN NEW;
END $function$;

DROP TRIGGER memories_memory_days ON memories_memory;
CREATE TRIGGER memories_memory_days
    BEFORE INSERT OR UPDATE OF audience_id, proposed_audience_id, occurred_at, created_at, updated_at,
        valid_from, valid_until, archived_at, restored_at, forgotten_at, red_line_at, expires_at
    ON memories_memory FOR EACH ROW EXECUTE FUNCTION memories_memory_days();
