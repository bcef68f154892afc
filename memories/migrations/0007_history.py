"""Row-level security of versions and derivations, and the triggers that keep the history."""

from django.db import migrations

from orgs.database.protect import WORKER, Protect

ORGANISATION = ("orgs_organisation", "CASCADE")
PART = {"organisation_id": ORGANISATION, "audience_id": ("orgs_audience", "NO ACTION")}
EDITORS = {
    "editor_id": ("orgs_member", "NO ACTION"),
    "editor_robot_id": ("robots_robot", "NO ACTION"),
}

REFERENCES = """
ALTER TABLE memories_memory ADD CONSTRAINT memories_memory_editor_id_fk
    FOREIGN KEY (organisation_id, editor_id) REFERENCES orgs_member (organisation_id, id);
ALTER TABLE memories_memory ADD CONSTRAINT memories_memory_editor_robot_id_fk
    FOREIGN KEY (organisation_id, editor_robot_id) REFERENCES robots_robot (organisation_id, id);
ALTER TABLE memories_version ADD CONSTRAINT memories_version_memory_fk
    FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
    REFERENCES memories_memory (organisation_id, id, audience_id, kind)
    ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE memories_derivation ADD CONSTRAINT memories_derivation_memory_fk
    FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
    REFERENCES memories_memory (organisation_id, id, audience_id, kind)
    ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE memories_derivation ADD CONSTRAINT memories_derivation_source_fk
    FOREIGN KEY (organisation_id, source_id, source_audience_id, source_kind)
    REFERENCES memories_memory (organisation_id, id, audience_id, kind)
    ON UPDATE CASCADE ON DELETE CASCADE;
"""

# The lists of columns keep these triggers out of the statements that only count or stamp, such as
# every recall. A trigger runs as whoever changes the row, under the policies of that role.
TRIGGERS = f"""
CREATE FUNCTION memories_memory_writer() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.id IS DISTINCT FROM OLD.id OR NEW.organisation_id IS DISTINCT FROM OLD.organisation_id
        OR NEW.robot_id IS DISTINCT FROM OLD.robot_id
        OR (NEW.author_id IS DISTINCT FROM OLD.author_id
            AND NOT (NEW.author_id IS NULL AND current_user = '{WORKER}'))
    THEN
        RAISE EXCEPTION 'who wrote a memory never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER memories_memory_writer
    BEFORE UPDATE OF id, organisation_id, robot_id, author_id ON memories_memory
    FOR EACH ROW EXECUTE FUNCTION memories_memory_writer();

CREATE FUNCTION memories_memory_number() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.version <> OLD.version THEN
        NEW.version := OLD.version + 1;
    ELSIF (NEW.content, NEW.category, NEW.tags, NEW.metadata, NEW.audience_id)
        IS DISTINCT FROM (OLD.content, OLD.category, OLD.tags, OLD.metadata, OLD.audience_id)
    THEN
        NEW.version := OLD.version + 1;
        NEW.editor_id := NULL;
        NEW.editor_robot_id := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER memories_memory_number
    BEFORE UPDATE OF content, category, tags, metadata, audience_id, version ON memories_memory
    FOR EACH ROW EXECUTE FUNCTION memories_memory_number();

CREATE FUNCTION memories_memory_history() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.memories_version (id, organisation_id, memory_id, audience_id, kind, number,
        content, category, importance, tags, metadata, expires_at, audience_then_id, group_then_id,
        editor_id, editor_robot_id, written_at, replaced_at)
    VALUES (gen_random_uuid(), OLD.organisation_id, OLD.id, NEW.audience_id, NEW.kind, OLD.version,
        OLD.content, OLD.category, OLD.importance, OLD.tags, OLD.metadata, OLD.expires_at,
        OLD.audience_id, OLD.group_id, OLD.editor_id, OLD.editor_robot_id,
        CASE WHEN OLD.version = 1 THEN OLD.created_at ELSE coalesce(
            (SELECT v.replaced_at FROM public.memories_version v
             WHERE v.organisation_id = OLD.organisation_id AND v.memory_id = OLD.id
               AND v.number = OLD.version - 1), OLD.updated_at) END,
        NEW.updated_at);
    RETURN NULL;
END $$;
CREATE TRIGGER memories_memory_history
    AFTER UPDATE OF content, category, tags, metadata, audience_id, version ON memories_memory
    FOR EACH ROW WHEN (NEW.version <> OLD.version) EXECUTE FUNCTION memories_memory_history();
"""
UNDO = "".join(
    f"DROP TRIGGER {name} ON memories_memory; DROP FUNCTION {name}();"
    for name in ("memories_memory_writer", "memories_memory_number", "memories_memory_history")
)


class Migration(migrations.Migration):
    dependencies = [("memories", "0006_versions")]

    operations = [
        Protect(
            "memories_version",
            by="audience",
            also=("audience_then_id",),
            references={
                **PART,
                **EDITORS,
                "audience_then_id": ("orgs_audience", "NO ACTION"),
                "group_then_id": ("orgs_group", "NO ACTION"),
            },
            append_only=True,
            worker=True,
            support=("id", "organisation_id", "memory_id", "number", "written_at", "replaced_at"),
        ),
        Protect(
            "memories_derivation",
            by="audience",
            also=("source_audience_id",),
            references={**PART, "source_audience_id": ("orgs_audience", "NO ACTION")},
            worker=True,
            support=("id", "organisation_id", "memory_id", "source_id", "created_at"),
        ),
        migrations.RunSQL(REFERENCES, migrations.RunSQL.noop),
        migrations.RunSQL(TRIGGERS, UNDO),
    ]
