"""SQL of the use of memories as readers may know it (`memories_known_use`), and who brought one.

Text alone, without Django: what composes a recall is tested without services.
"""

# The tier of a memory `m` with its use `u`: the one it was written into while it has no use.
CURRENT_TIER_SQL = "coalesce(u.tier, m.first_tier)"
# The same where the use is not joined.
LOOKED_UP_TIER_SQL = """coalesce((SELECT u.tier FROM memories_use u WHERE u.memory_id = m.id
    AND u.organisation_id = m.organisation_id), m.first_tier)"""
# Whether the robot that asks is the only one that ever brought memory `m`: a robot does not raise
# its own memories.
BROUGHT_ALONE_BY = """(m.robot_id = {robot} AND NOT EXISTS (
    SELECT 1 FROM memories_contribution c WHERE c.organisation_id = m.organisation_id
    AND c.memory_id = m.id AND c.robot_id <> {robot}))"""
ALONE = BROUGHT_ALONE_BY.format(robot="%(robot)s::uuid")
# The use of a memory `m` as `u`, as the scope's reader may know it. Each is looked up by its key:
# the planner does not see how many uses there are while the table grows, and would read all of the
# organisation for each memory.
WITH_USE = """LEFT JOIN LATERAL (
    SELECT x.* FROM memories_known_use x
    WHERE x.organisation_id = m.organisation_id AND x.memory_id = m.id OFFSET 0) u ON true"""
