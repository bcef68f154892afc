"""Tags of before get the form `root:level:...` and those above them; none is lost."""

from typing import Any
from uuid import UUID

from django.db import migrations

from memories.store.tag_names import coerce_tags, with_old_tags

PORTION = 1_000
# The owner is bound by row-level security too. What was said stays as it was: the new form is no
# new version of a memory. The transaction of the migration holds all of it together.
OPEN = """
ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_memory DISABLE TRIGGER memories_memory_number;
"""
CLOSE = """
ALTER TABLE memories_memory ENABLE TRIGGER memories_memory_number;
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
"""


def bring(apps: Any, schema_editor: Any) -> None:
    """Every memory with tags, a portion at a time; says how many changed and what was left over.

    By the rule of the code that comes with this migration: it is what the rows have to fit.
    """
    memories = apps.get_model("memories", "Memory").objects.using(schema_editor.connection.alias)
    schema_editor.execute(OPEN)
    last, changed, kept = UUID(int=0), 0, 0
    while True:
        tagged = memories.filter(tags__len__gt=0, id__gt=last).order_by("id")
        rows = list(tagged.only("id", "tags", "metadata")[:PORTION])
        if not rows:
            break
        last, different = rows[-1].id, []
        for row in rows:
            tags, left = coerce_tags(row.tags)
            if tags == row.tags and not left:
                continue
            row.tags, kept = tags, kept + len(left)
            if left:
                row.metadata = with_old_tags(row.metadata, left)
            different.append(row)
        memories.bulk_update(different, ["tags", "metadata"], batch_size=200)
        changed += len(different)
    schema_editor.execute(CLOSE)
    if changed:
        print(f" {changed:,} memories have tags in the new form; {kept:,} tags have none and stand in metadata.old_tags.", end="")  # noqa: T201 - the output of migrate


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0015_working_entry'),
    ]

    operations = [
        migrations.RunPython(bring, migrations.RunPython.noop),
    ]
