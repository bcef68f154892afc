-- Robots are counted against the quota, without the built-in ones and those that are retired.

CREATE TRIGGER robots_robot_quota AFTER INSERT ON robots_robot
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION orgs_rows_added('robots', 'r.retired_at IS NULL AND r.builtin IS NULL');

-- Of messages the bytes are counted. docs/adr/0050-quotas.md

CREATE FUNCTION public.robots_message_usage()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    sign int := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
    one record;
BEGIN
    FOR one IN SELECT organisation_id, sum(octet_length(content)) AS bytes
        FROM changed GROUP BY organisation_id
    LOOP
        PERFORM public.orgs_add_usage(one.organisation_id, 0, sign * one.bytes);
    END LOOP;
    RETURN NULL;
END $function$;

CREATE FUNCTION public.robots_message_usage_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM public.orgs_add_usage(NEW.organisation_id, 0, octet_length(NEW.content) - octet_length(OLD.content));
    RETURN NULL;
END $function$;

CREATE TRIGGER robots_message_usage_added AFTER INSERT ON robots_message
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION robots_message_usage();
CREATE TRIGGER robots_message_usage_deleted AFTER DELETE ON robots_message
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION robots_message_usage();
CREATE TRIGGER robots_message_usage_changed AFTER UPDATE OF content ON robots_message FOR EACH ROW
    WHEN (octet_length(NEW.content) <> octet_length(OLD.content)) EXECUTE FUNCTION robots_message_usage_changed();

-- What is there already.
ALTER TABLE robots_message NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_usage NO FORCE ROW LEVEL SECURITY;
INSERT INTO orgs_usage (id, organisation_id, memories, bytes)
SELECT gen_random_uuid(), organisation_id, 0, sum(octet_length(content))
FROM robots_message WHERE organisation_id IN (SELECT id FROM orgs_organisation)
GROUP BY organisation_id;
ALTER TABLE orgs_usage FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_message FORCE ROW LEVEL SECURITY;
