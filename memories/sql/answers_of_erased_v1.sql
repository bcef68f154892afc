-- What a language model answered is kept with a digest of the texts that it was shown: of two
-- memories, or of all sources of a summary. It belongs to one of them, and the digest of a short text
-- can be guessed. So it goes when any memory of these readers is deleted; it is asked again.
CREATE FUNCTION public.memories_answers_gone()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    DELETE FROM public.memories_modelanswer a
    USING (SELECT DISTINCT organisation_id, audience_id FROM gone) g
    WHERE a.organisation_id = g.organisation_id AND a.audience_id = g.audience_id;
    RETURN NULL;
END $function$;

CREATE TRIGGER memories_memory_answers AFTER DELETE ON memories_memory
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memories_answers_gone();
