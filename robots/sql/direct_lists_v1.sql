-- Who reads a direct conversation of a robot with a member: the robot only while it acts for that
-- member. So the entry of the robot is of the kind `direct`, and the list has the key of these
-- readers (orgs/organisations/audience_rows.py, `readers_digest`). A personal robot serves one
-- member alone and stays a reader. A list that something was also shared with becomes a direct one
-- with all that it has: nobody reads more than before.
ALTER TABLE robots_conversation NO FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_robot NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audienceentry NO FORCE ROW LEVEL SECURITY;
WITH direct AS MATERIALIZED (
    SELECT DISTINCT c.organisation_id, c.audience_id, c.robot_id, c.member_id
    FROM robots_conversation c
    JOIN robots_robot r ON r.organisation_id = c.organisation_id AND r.id = c.robot_id
        AND r.owner_id IS NULL
    JOIN orgs_audience a ON a.organisation_id = c.organisation_id AND a.id = c.audience_id
        AND a.kind = 'explicit' AND a.group_id IS NULL
    WHERE c.group_id IS NULL AND c.member_id IS NOT NULL
), listed AS (
    UPDATE orgs_audienceentry e SET kind = 'direct' FROM direct d
    WHERE e.organisation_id = d.organisation_id AND e.audience_id = d.audience_id
        AND e.kind = 'robot' AND e.reader = d.robot_id
)
UPDATE orgs_audience a SET key = encode(sha256(convert_to(
    '-' || chr(10) || 'direct:' || d.robot_id || chr(10) || 'member:' || d.member_id, 'UTF8'
)), 'hex')
FROM direct d WHERE a.organisation_id = d.organisation_id AND a.id = d.audience_id;
ALTER TABLE robots_conversation FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_robot FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audienceentry FORCE ROW LEVEL SECURITY;
