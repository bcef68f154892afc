"""Whose words a memory gives never changes; who reworded it and who protects it is on record."""

from django.db import migrations, models

import orgs.models.base
from orgs.database.protect import WORKER, back

COLUMNS = {
    "reworded_by_id": "orgs_member",
    "reworded_by_robot_id": "robots_robot",
    "red_line_by_id": "orgs_member",
}
# Without ON UPDATE or DELETE: like robot and author, they stay as long as the memory.
REFERENCES = "".join(
    f"ALTER TABLE memories_memory ADD CONSTRAINT memories_memory_{column}_fk "
    f"FOREIGN KEY (organisation_id, {column}) REFERENCES {table} (organisation_id, id);"
    for column, table in COLUMNS.items()
)
# Erasing a person may take their name away; nothing puts another in its place.
WRITER = """
CREATE OR REPLACE FUNCTION memories_memory_writer() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.id IS DISTINCT FROM OLD.id OR NEW.organisation_id IS DISTINCT FROM OLD.organisation_id
        OR NEW.robot_id IS DISTINCT FROM OLD.robot_id
        OR (NEW.author_id IS DISTINCT FROM OLD.author_id
            AND NOT (NEW.author_id IS NULL AND current_user = '{worker}')){more}
    THEN
        RAISE EXCEPTION 'who wrote a memory never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER memories_memory_writer ON memories_memory;
CREATE TRIGGER memories_memory_writer
    BEFORE UPDATE OF {columns} ON memories_memory
    FOR EACH ROW EXECUTE FUNCTION memories_memory_writer();
"""
BEFORE = "id, organisation_id, robot_id, author_id"
SPEAKER = f"""
        OR (NEW.speaker_member_id IS DISTINCT FROM OLD.speaker_member_id
            AND NOT (NEW.speaker_member_id IS NULL AND current_user = '{WORKER}'))
        OR (NEW.speaker IS DISTINCT FROM OLD.speaker
            AND NOT (NEW.speaker = '' AND current_user = '{WORKER}'))"""


def key(to: str) -> orgs.models.base.TenantKey:
    return orgs.models.base.TenantKey(
        blank=True,
        db_constraint=False,
        db_index=False,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        to=to,
    )


class Migration(migrations.Migration):
    dependencies = [("memories", "0029_shown_to_a_model"), ("robots", "0009_naming")]

    operations = [
        migrations.AddField("memory", "reworded_by", key("orgs.member")),
        migrations.AddField("memory", "reworded_by_robot", key("robots.robot")),
        migrations.AddField("memory", "red_line_by", key("orgs.member")),
        migrations.AddField("memory", "red_line_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("memory", "red_line_reason", models.TextField(blank=True, default="")),
        migrations.RunSQL(REFERENCES, migrations.RunSQL.noop),
        *(
            migrations.RunSQL(
                back("memories_memory", column), f"DROP INDEX memories_memory_{column}_back"
            )
            for column in COLUMNS
        ),
        migrations.RunSQL(
            WRITER.format(
                worker=WORKER, more=SPEAKER, columns=f"{BEFORE}, speaker, speaker_member_id"
            ),
            WRITER.format(worker=WORKER, more="", columns=BEFORE),
        ),
        migrations.RemoveConstraint("contribution", "contribution_robot_once"),
        migrations.AddConstraint(
            "contribution",
            models.UniqueConstraint(
                fields=("organisation", "memory", "robot", "member"),
                name="contribution_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AlterField(
            "proposal",
            "cause",
            models.CharField(
                choices=[
                    ("publish", "New for everyone"),
                    ("correction", "Correction"),
                    ("duplicate", "Possible duplicate"),
                    ("report", "Report"),
                    ("return", "Was forgotten"),
                    ("red_line", "To be protected"),
                ],
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint("proposal", "proposal_words_known"),
        migrations.AddConstraint(
            "proposal",
            models.CheckConstraint(
                condition=models.Q(
                    (
                        "cause__in",
                        ["publish", "correction", "duplicate", "report", "return", "red_line"],
                    ),
                    (
                        "state__in",
                        ["open", "approved", "merged", "rejected", "withdrawn"],
                    ),
                ),
                name="proposal_words_known",
            ),
        ),
    ]
