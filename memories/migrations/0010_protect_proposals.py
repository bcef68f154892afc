"""Proposals are readable like the memory they are about; what was waiting already gets an item."""

from django.db import migrations

from orgs.database.protect import Protect

MEMBER = ("orgs_member", "SET NULL")

# The owner is bound by row-level security too; for this one statement it is not.
ITEMS = """
ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience NO FORCE ROW LEVEL SECURITY;
INSERT INTO memories_proposal (id, organisation_id, memory_id, audience_id, kind, cause, state,
    target_audience_id, proposed_by_id, robot_id, content, reason, decision, outcome, created_at)
SELECT gen_random_uuid(), m.organisation_id, m.id, m.audience_id, m.kind,
    CASE WHEN a.kind = 'review' THEN 'publish' ELSE 'return' END, 'open',
    m.proposed_audience_id, m.author_id, m.robot_id, '', '', '', '{}', m.created_at
FROM memories_memory m JOIN orgs_audience a ON a.id = m.audience_id
WHERE m.status = 'pending_review' AND m.proposed_audience_id IS NOT NULL;
ALTER TABLE orgs_audience FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
"""
FOLLOWS = """
ALTER TABLE memories_proposal ADD CONSTRAINT memories_proposal_memory_fk
    FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
    REFERENCES memories_memory (organisation_id, id, audience_id, kind)
    ON UPDATE CASCADE ON DELETE CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0009_proposals"), ("robots", "0002_protect")]

    operations = [
        migrations.RunSQL(ITEMS, migrations.RunSQL.noop),
        Protect(
            "memories_proposal",
            by="audience",
            references={
                "organisation_id": ("orgs_organisation", "CASCADE"),
                "audience_id": ("orgs_audience", "NO ACTION"),
                "other_id": ("memories_memory", "CASCADE"),
                "target_audience_id": ("orgs_audience", "CASCADE"),
                "proposed_by_id": MEMBER,
                "robot_id": ("robots_robot", "SET NULL"),
                "assignee_id": MEMBER,
                "locked_by_id": MEMBER,
                "decided_by_id": MEMBER,
            },
            worker=True,
            support=(
                "id", "organisation_id", "memory_id", "cause", "state", "assignee_id",
                "created_at", "decided_by_id", "decided_at",
            ),
        ),
        migrations.RunSQL(FOLLOWS, migrations.RunSQL.noop),
    ]
