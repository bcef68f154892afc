-- What is suggested of a lesson keeps days, like the lesson (memories/sql/lesson_days_v1.sql); so do
-- associations and personal robots, whose times would tell which robot serves whom.
CREATE TRIGGER personas_suggestion_days BEFORE INSERT OR UPDATE OF decided_at ON personas_suggestion
    FOR EACH ROW EXECUTE FUNCTION memories_part_days('suggested_at', 'decided_at');

ALTER TABLE personas_association NO FORCE ROW LEVEL SECURITY;
ALTER TABLE personas_blockversion NO FORCE ROW LEVEL SECURITY;
ALTER TABLE personas_block NO FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_robot NO FORCE ROW LEVEL SECURITY;
UPDATE personas_association SET discovered_at = day_of(discovered_at),
    last_confirmed_at = day_of(last_confirmed_at), confirmed_at = day_of(confirmed_at);
UPDATE personas_blockversion v SET made_at = day_of(v.made_at)
FROM personas_block b WHERE b.organisation_id = v.organisation_id AND b.id = v.block_id
    AND b.layer = 'service_experience';
UPDATE robots_robot SET created_at = day_of(created_at) WHERE owner_id IS NOT NULL;
ALTER TABLE personas_association FORCE ROW LEVEL SECURITY;
ALTER TABLE personas_blockversion FORCE ROW LEVEL SECURITY;
ALTER TABLE personas_block FORCE ROW LEVEL SECURITY;
ALTER TABLE robots_robot FORCE ROW LEVEL SECURITY;
