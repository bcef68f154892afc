-- What a profession reads keeps days and no finer times, and its ids hold no finer ones: whoever
-- could lay the time of a lesson beside what somebody did at that time would know who taught it.
-- What is not stored is told by no answer, filter, order, cursor or export.

CREATE FUNCTION public.day_of(given timestamptz)
 RETURNS timestamptz
 LANGUAGE sql STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN date_trunc('day', given, 'UTC');

-- An end is put off to the next midnight, so that nothing ends before its time.
CREATE FUNCTION public.end_of_day(given timestamptz)
 RETURNS timestamptz
 LANGUAGE sql STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN date_trunc('day', given + interval '1 day' - interval '1 microsecond', 'UTC');

-- A UUIDv7 whose time is the beginning of the day; `orgs.models.base.day_id` makes the same.
CREATE FUNCTION public.day_uuid(given timestamptz)
 RETURNS uuid
 LANGUAGE sql VOLATILE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
    substring(int8send((extract(epoch FROM date_trunc('day', given, 'UTC')) * 1000)::bigint) FROM 3)
    FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid;

-- Whether this audience is a persona, an industry or a role, or the memory waits to go there.
CREATE FUNCTION public.is_lesson(organisation uuid, audience uuid, proposed uuid)
 RETURNS boolean
 LANGUAGE sql STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN EXISTS (
    SELECT 1 FROM public.orgs_audience a
    WHERE a.organisation_id = organisation AND a.id IN (audience, proposed)
        AND a.kind IN ('persona', 'industry', 'role'));

CREATE FUNCTION public.memories_memory_days()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF public.is_lesson(NEW.organisation_id, NEW.audience_id, NEW.proposed_audience_id) THEN
        NEW.occurred_at := public.day_of(NEW.occurred_at);
        NEW.created_at := public.day_of(NEW.created_at);
        NEW.updated_at := public.day_of(NEW.updated_at);
        NEW.valid_until := public.day_of(NEW.valid_until);
        NEW.archived_at := public.day_of(NEW.archived_at);
        NEW.restored_at := public.day_of(NEW.restored_at);
        NEW.forgotten_at := public.day_of(NEW.forgotten_at);
        NEW.red_line_at := public.day_of(NEW.red_line_at);
        NEW.expires_at := public.end_of_day(NEW.expires_at);
    END IF;
    RETURN NEW;
END $function$;

CREATE TRIGGER memories_memory_days
    BEFORE INSERT OR UPDATE OF audience_id, proposed_audience_id, occurred_at, created_at, updated_at,
        valid_until, archived_at, restored_at, forgotten_at, red_line_at, expires_at
    ON memories_memory FOR EACH ROW EXECUTE FUNCTION memories_memory_days();

-- The rows that belong to a lesson. The arguments are the columns that hold times; the last may be
-- `id`, for tables whose ids nothing refers to.
CREATE FUNCTION public.memories_part_days()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    named text;
    days jsonb := '{}';
    given jsonb := to_jsonb(NEW);
    latest timestamptz;
    proposed uuid;
    seen boolean;
BEGIN
    SELECT m.proposed_audience_id INTO proposed FROM public.memories_memory m
    WHERE m.organisation_id = NEW.organisation_id AND m.id = NEW.memory_id;
    -- A robot does not read what it lays before those who review. An item says itself for whom it is;
    -- of everything else there it is not known, so it counts as a lesson.
    seen := FOUND;
    IF NOT seen THEN
        proposed := (given ->> 'target_audience_id')::uuid;
    END IF;
    IF NOT public.is_lesson(NEW.organisation_id, NEW.audience_id, proposed) AND (
        seen OR given ? 'target_audience_id' OR NOT EXISTS (
            SELECT 1 FROM public.orgs_audience a WHERE a.organisation_id = NEW.organisation_id
                AND a.id = NEW.audience_id AND a.kind = 'review')) THEN
        RETURN NEW;
    END IF;
    FOREACH named IN ARRAY TG_ARGV LOOP
        IF named = 'id' THEN
            IF TG_OP = 'INSERT' THEN
                days := days || jsonb_build_object('id', public.day_uuid(latest));
            END IF;
        ELSIF given ->> named IS NOT NULL THEN
            latest := public.day_of((given ->> named)::timestamptz);
            days := days || jsonb_build_object(named, latest);
        END IF;
    END LOOP;
    RETURN jsonb_populate_record(NEW, days);
END $function$;

CREATE TRIGGER memories_contribution_days
    BEFORE INSERT OR UPDATE OF first_at, last_at ON memories_contribution
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('first_at', 'last_at', 'id');
CREATE TRIGGER memories_operation_days BEFORE INSERT ON memories_operation
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('at', 'id');
CREATE TRIGGER memories_transition_days BEFORE INSERT ON memories_transition
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('moved_at', 'id');
CREATE TRIGGER memories_derivation_days BEFORE INSERT ON memories_derivation
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('created_at', 'id');
CREATE TRIGGER memories_use_days BEFORE INSERT OR UPDATE OF tier_since ON memories_use
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('tier_since');
CREATE TRIGGER memories_proposal_days BEFORE INSERT OR UPDATE OF decided_at ON memories_proposal
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('created_at', 'decided_at');
CREATE TRIGGER memories_dissent_days BEFORE INSERT OR UPDATE OF answered_at ON memories_dissent
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('created_at', 'answered_at');
CREATE TRIGGER memories_task_days BEFORE INSERT OR UPDATE OF done_at, noted_at ON memories_task
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('done_at', 'noted_at');
CREATE TRIGGER memories_restatement_days BEFORE INSERT OR UPDATE OF made_at ON memories_restatement
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('made_at');
CREATE TRIGGER memories_entity_days BEFORE INSERT OR UPDATE OF extracted_at ON memories_entity
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('extracted_at');
CREATE TRIGGER memories_edge_days BEFORE INSERT OR UPDATE OF observed_at ON memories_edge
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('observed_at');
CREATE TRIGGER memories_heldtext_days BEFORE INSERT OR UPDATE OF held_at ON memories_heldtext
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('held_at');

-- What is there already. Ids stay as they are, and so do entries of the audit trail.
ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_contribution NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_operation NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_proposal NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_use NO FORCE ROW LEVEL SECURITY;
UPDATE memories_memory m SET created_at = m.created_at
FROM orgs_audience a WHERE a.organisation_id = m.organisation_id
    AND a.id IN (m.audience_id, m.proposed_audience_id)
    AND a.kind IN ('persona', 'industry', 'role');
UPDATE memories_contribution c SET first_at = c.first_at
FROM memories_memory m WHERE m.organisation_id = c.organisation_id AND m.id = c.memory_id
    AND is_lesson(m.organisation_id, m.audience_id, m.proposed_audience_id);
UPDATE memories_operation o SET at = day_of(o.at)
FROM memories_memory m WHERE m.organisation_id = o.organisation_id AND m.id = o.memory_id
    AND is_lesson(m.organisation_id, m.audience_id, m.proposed_audience_id);
UPDATE memories_proposal p SET created_at = day_of(p.created_at), decided_at = p.decided_at
FROM memories_memory m WHERE m.organisation_id = p.organisation_id AND m.id = p.memory_id
    AND is_lesson(m.organisation_id, m.audience_id, m.proposed_audience_id);
UPDATE memories_use u SET tier_since = u.tier_since
FROM memories_memory m WHERE m.organisation_id = u.organisation_id AND m.id = u.memory_id
    AND is_lesson(m.organisation_id, m.audience_id, m.proposed_audience_id);
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_contribution FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_operation FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_proposal FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_use FORCE ROW LEVEL SECURITY;
