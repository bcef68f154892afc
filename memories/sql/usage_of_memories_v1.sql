-- Memories are counted as what their organisation keeps, also those that are archived; of an encrypted
-- text its ciphertext. docs/adr/0050-quotas.md

CREATE FUNCTION public.memories_memory_usage()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    sign int := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
    one record;
BEGIN
    FOR one IN SELECT organisation_id, count(*) AS memories, sum(coalesce(octet_length(sealed), octet_length(content))) AS bytes
        FROM changed GROUP BY organisation_id
    LOOP
        PERFORM public.orgs_add_usage(one.organisation_id, sign * one.memories, sign * one.bytes);
    END LOOP;
    RETURN NULL;
END $function$;

CREATE FUNCTION public.memories_memory_usage_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM public.orgs_add_usage(NEW.organisation_id, 0, coalesce(octet_length(NEW.sealed), octet_length(NEW.content)) - coalesce(octet_length(OLD.sealed), octet_length(OLD.content)));
    RETURN NULL;
END $function$;

CREATE TRIGGER memories_memory_usage_added AFTER INSERT ON memories_memory
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memories_memory_usage();
CREATE TRIGGER memories_memory_usage_deleted AFTER DELETE ON memories_memory
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memories_memory_usage();
CREATE TRIGGER memories_memory_usage_changed AFTER UPDATE OF content, sealed ON memories_memory FOR EACH ROW
    WHEN (coalesce(octet_length(NEW.sealed), octet_length(NEW.content)) <> coalesce(octet_length(OLD.sealed), octet_length(OLD.content))) EXECUTE FUNCTION memories_memory_usage_changed();

-- What is there already.
ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_usage NO FORCE ROW LEVEL SECURITY;
INSERT INTO orgs_usage (id, organisation_id, memories, bytes)
SELECT gen_random_uuid(), organisation_id, count(*), sum(coalesce(octet_length(sealed), octet_length(content)))
FROM memories_memory WHERE organisation_id IN (SELECT id FROM orgs_organisation)
GROUP BY organisation_id;
ALTER TABLE orgs_usage FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
