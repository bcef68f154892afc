-- What a memory said before a change stays as a version; of an encrypted one the ciphertext stays.

CREATE OR REPLACE FUNCTION public.memories_memory_history()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO public.memories_version (id, organisation_id, memory_id, audience_id, kind, number,
        content, sealed, category, importance, tags, metadata, expires_at, audience_then_id,
        group_then_id, editor_id, editor_robot_id, written_at, replaced_at)
    VALUES (gen_random_uuid(), OLD.organisation_id, OLD.id, NEW.audience_id, NEW.kind, OLD.version,
        OLD.content, OLD.sealed, OLD.category, OLD.importance, OLD.tags, OLD.metadata,
        OLD.expires_at, OLD.audience_id, OLD.group_id, OLD.editor_id, OLD.editor_robot_id,
        CASE WHEN OLD.version = 1 THEN OLD.created_at ELSE coalesce(
            (SELECT v.replaced_at FROM public.memories_version v
             WHERE v.organisation_id = OLD.organisation_id AND v.memory_id = OLD.id
               AND v.number = OLD.version - 1), OLD.updated_at) END,
        NEW.updated_at);
    RETURN NULL;
END $function$;
