"""An index projection partitioned by kind: group, user and interaction (docs/adr/0007).

Words and vector of a memory stand in one row beside whom it is between. Direct, organisation's and
internal rows are not in it; the narrow tables have them.
"""

from django.db import migrations

from orgs.database.protect import APP, COMMANDS, WORKER, Reads, policy_sql

PARENT = "memories_partition"
KINDS = ("group", "user", "interaction")
TABLES = (PARENT, *(f"{PARENT}_{kind}" for kind in KINDS))

CREATE = f"""
CREATE TABLE {PARENT} (
    organisation_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    audience_id uuid NOT NULL,
    kind varchar(12) NOT NULL,
    group_id uuid,
    owner uuid,
    parties uuid[] NOT NULL,
    lexemes tsvector NOT NULL,
    length integer NOT NULL,
    model smallint,
    embedding halfvec(384),
    CONSTRAINT partition_once UNIQUE (organisation_id, memory_id, kind),
    CONSTRAINT memories_partition_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT memories_partition_group_fk
        FOREIGN KEY (organisation_id, group_id) REFERENCES orgs_group (organisation_id, id)
) PARTITION BY LIST (kind);
""" + "".join(
    f"CREATE TABLE {PARENT}_{kind} PARTITION OF {PARENT} FOR VALUES IN ('{kind}');\n"
    for kind in KINDS
)

# What one asker reads of a group or of an interaction is chosen by audience, as in the narrow
# tables; what is known of one member by whom it is about. Each is an index-only scan.
INDEXES = f"""
CREATE INDEX partition_group_scan ON {PARENT}_group (organisation_id, audience_id, model)
    INCLUDE (memory_id, kind, group_id, embedding);
CREATE INDEX partition_user_scan ON {PARENT}_user (organisation_id, owner, model)
    INCLUDE (audience_id, memory_id, kind, group_id, embedding);
CREATE INDEX partition_user_audience ON {PARENT}_user (organisation_id, audience_id);
CREATE INDEX partition_interaction_scan ON {PARENT}_interaction
    (organisation_id, audience_id, model)
    INCLUDE (memory_id, kind, group_id, parties, embedding);
"""


def protection(table: str) -> list[str]:
    """Row-level security as on the narrow tables, on the parent and on each partition."""
    reads = Reads("audience")
    worker = Reads()
    return [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"GRANT {', '.join(COMMANDS)} ON {table} TO {WORKER}",
        *(policy_sql(table, APP, command, reads.expression(command)) for command in COMMANDS),
        *(policy_sql(table, WORKER, command, worker.expression(command)) for command in COMMANDS),
    ]


class Migration(migrations.Migration):
    dependencies = [("memories", "0018_graph"), ("orgs", "0009_projections")]

    operations = [
        migrations.RunSQL(CREATE, f"DROP TABLE {PARENT}"),
        migrations.RunSQL(INDEXES, migrations.RunSQL.noop),
        migrations.RunSQL(
            [statement for table in TABLES for statement in protection(table)],
            migrations.RunSQL.noop,
        ),
    ]
