"""Row-level security and constraints of the memories' tables, and what deposits may ask."""

from django.db import migrations

from orgs.database.protect import APP, SEARCHER, Protect

ORGANISATION = ("orgs_organisation", "CASCADE")
PLACES = {
    "organisation_id": ORGANISATION,
    "audience_id": ("orgs_audience", "NO ACTION"),
    "robot_id": ("robots_robot", "NO ACTION"),
    "group_id": ("orgs_group", "NO ACTION"),
    "member_id": ("orgs_member", "NO ACTION"),
}
PART = {"organisation_id": ORGANISATION, "audience_id": ("orgs_audience", "NO ACTION")}
NARROW = {**PART, "group_id": ("orgs_group", "NO ACTION")}
# What support staff see of a memory: never its text, key, topic, tags, metadata or speaker.
METADATA = (
    "id", "organisation_id", "audience_id", "status", "kind", "type", "category", "tier",
    "robot_id", "group_id", "member_id", "importance", "confidence", "sensitive", "shareable",
    "red_line", "access_count", "last_accessed_at", "remember_count", "occurred_at",
    "created_at", "updated_at", "expires_at", "archived_at", "forgotten_at", "version",
)
ASKED = ("id", "organisation_id", "audience_id", "content_hash", "key", "conversation",
         "occurred_at", "deposited_by", "forgotten_by_subject")

# A depositor may not read where it writes, yet must neither write twice nor bring back what its
# subject forgot. It is told only of rows in the audiences it is depositing into right now.
DEPOSITED = f"""
SET ROLE {SEARCHER};
CREATE FUNCTION search.deposited(hashes bytea[], keys text[])
RETURNS TABLE (id uuid, audience_id uuid, content_hash bytea, key varchar, conversation varchar,
               occurred_at timestamptz, deposited_by uuid, forgotten_by_subject boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tenant uuid := NULLIF(current_setting('app.organisation', true), '')::uuid;
    open uuid[] := NULLIF(current_setting('app.deposit_audiences', true), '')::uuid[];
BEGIN
    RETURN QUERY
    SELECT m.id, m.audience_id, m.content_hash, m.key, m.conversation, m.occurred_at,
           m.deposited_by, m.forgotten_by_subject
    FROM public.memories_memory m
    WHERE m.organisation_id = tenant AND m.audience_id = ANY (open)
      AND (m.content_hash = ANY (hashes) OR m.key = ANY (keys));
END $$;
REVOKE ALL ON FUNCTION search.deposited(bytea[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.deposited(bytea[], text[]) TO {APP};
RESET ROLE;
"""


def follows(table: str) -> str:
    """A part moves and goes with its memory, whoever moves it."""
    return f"""
    ALTER TABLE {table} ADD CONSTRAINT {table}_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE;
    """


PARTS = ("memories_contribution", "memories_text", "memories_embedding", "memories_pending")


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_initial"), ("robots", "0002_protect")]

    operations = [
        Protect(
            "memories_memory",
            by="audience",
            references={
                **PLACES,
                "speaker_member_id": ("orgs_member", "NO ACTION"),
                "author_id": ("orgs_member", "NO ACTION"),
                "proposed_audience_id": ("orgs_audience", "NO ACTION"),
            },
            worker=True,
            support=METADATA,
            searcher=ASKED,
        ),
        Protect(
            "memories_contribution",
            by="audience",
            references={
                **PART,
                "robot_id": ("robots_robot", "NO ACTION"),
                "member_id": ("orgs_member", "NO ACTION"),
            },
            worker=True,
            support=("id", "organisation_id", "memory_id", "robot_id", "first_at", "last_at", "count"),
        ),
        Protect("memories_text", by="audience", references=NARROW, worker=True),
        Protect("memories_embedding", by="audience", references=NARROW, worker=True),
        Protect(
            "memories_pending",
            by="audience",
            references=PART,
            worker=True,
            support=("id", "organisation_id", "memory_id", "state", "attempts", "reason", "created_at"),
        ),
        Protect(
            "memories_recall",
            by="audience",
            references=PLACES,
            support=("id", "organisation_id", "robot_id", "strategy", "took_ms", "created_at"),
        ),
        migrations.RunSQL("".join(map(follows, PARTS)), migrations.RunSQL.noop),
        migrations.RunSQL(DEPOSITED, "DROP FUNCTION search.deposited(bytea[], text[])"),
        # Recall counts accesses in place; room on the page keeps those updates off the indexes.
        migrations.RunSQL(
            "ALTER TABLE memories_memory SET (fillfactor = 85)", migrations.RunSQL.noop
        ),
    ]
