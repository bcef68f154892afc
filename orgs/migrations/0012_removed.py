"""An organisation that is removed is closed first; deleting finds by an index who names a row."""

from django.db import migrations, models

from orgs.database.protect import SUPPORT, WORKER, back

NAMING = (
    ("orgs_audience", "group_id"),
    ("orgs_externalidentity", "member_id"),
    ("orgs_group", "owner_id"),
)


class Migration(migrations.Migration):
    dependencies = [("orgs", "0011_names")]

    operations = [
        migrations.AddField(
            model_name="organisation",
            name="removed_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.RunSQL(
            f"GRANT SELECT (removed_at) ON orgs_organisation TO {WORKER}, {SUPPORT}",
            migrations.RunSQL.noop,
        ),
        *(
            migrations.RunSQL(back(table, column), f"DROP INDEX {table}_{column}_back")
            for table, column in NAMING
        ),
    ]
