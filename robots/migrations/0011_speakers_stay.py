"""Who posted a message and whose words it gives never changes."""

from django.db import migrations

from orgs.database.protect import WORKER

COLUMNS = ("speaker", "speaker_key", "robot_id", "author_id", "speaker_member_id")
CHANGED = " OR ".join(f"NEW.{column} IS DISTINCT FROM OLD.{column}" for column in COLUMNS)
# Erasing a person may take their name away; nothing puts another in its place.
EMPTY = (
    "NEW.speaker IN ('', OLD.speaker) AND NEW.speaker_key IN ('', OLD.speaker_key) "
    "AND NEW.robot_id IS NOT DISTINCT FROM OLD.robot_id "
    "AND (NEW.author_id IS NULL OR NEW.author_id = OLD.author_id) "
    "AND (NEW.speaker_member_id IS NULL OR NEW.speaker_member_id = OLD.speaker_member_id)"
)
TRIGGER = f"""
CREATE FUNCTION robots_message_writer() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF ({CHANGED}) AND NOT (current_user = '{WORKER}' AND {EMPTY}) THEN
        RAISE EXCEPTION 'who said a message never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER robots_message_writer
    BEFORE UPDATE OF {", ".join(COLUMNS)} ON robots_message
    FOR EACH ROW EXECUTE FUNCTION robots_message_writer();
"""


class Migration(migrations.Migration):
    dependencies = [("robots", "0009_naming")]

    operations = [
        migrations.RunSQL(
            TRIGGER,
            "DROP TRIGGER robots_message_writer ON robots_message; "
            "DROP FUNCTION robots_message_writer();",
        )
    ]
