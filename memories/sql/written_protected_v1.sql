-- The list of readers of a protected text that a robot wrote and that is as it left it; else null.
-- A text that somebody else reworded, protected or replaced is not what the robot knows any more. A
-- list that was made in a group needs the robot's seat there. Null also where the robot is a reader,
-- and for direct conversations, which it reads by other rules.

GRANT SELECT (robot_id, kind, red_line, superseded_by_id, editor_id, editor_robot_id, reworded_by_id, reworded_by_robot_id) ON memories_memory TO commonmind_searcher;
GRANT SELECT (organisation_id, id, kind, group_id) ON orgs_audience TO commonmind_searcher;
GRANT SELECT (organisation_id, audience_id, kind, reader) ON orgs_audienceentry TO commonmind_searcher;
GRANT SELECT (organisation_id, robot_id, group_id) ON robots_robotgroup TO commonmind_searcher;
SET ROLE commonmind_searcher;
CREATE OR REPLACE FUNCTION search.written_protected(memory uuid, robot uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
BEGIN
    RETURN (
        SELECT m.audience_id FROM public.memories_memory m
        JOIN public.orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
        WHERE m.organisation_id = tenant AND m.id = memory AND m.robot_id = robot
          AND a.kind = 'explicit' AND m.kind <> 'internal' AND m.status = 'active'
          AND NOT m.red_line AND m.superseded_by_id IS NULL
          AND m.editor_id IS NULL AND coalesce(m.editor_robot_id, robot) = robot
          AND m.reworded_by_id IS NULL AND coalesce(m.reworded_by_robot_id, robot) = robot
          AND NOT EXISTS (
              SELECT FROM public.orgs_audienceentry d WHERE d.organisation_id = tenant
              AND d.audience_id = a.id
              AND (d.kind = 'direct' OR d.kind = 'robot' AND d.reader = robot))
          AND (a.group_id IS NULL OR EXISTS (
              SELECT FROM public.robots_robotgroup s WHERE s.organisation_id = tenant
              AND s.robot_id = robot AND s.group_id = a.group_id)));
END $function$;
REVOKE ALL ON FUNCTION search.written_protected(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.written_protected(uuid,uuid) TO commonmind_app;
RESET ROLE;
