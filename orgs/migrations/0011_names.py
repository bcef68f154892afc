"""The models' names as support staff read them; nothing in the database changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("orgs", "0010_worker_knows_wishes")]

    operations = [
        migrations.AlterModelOptions(
            name="audienceentry",
            options={"verbose_name_plural": "audience entries"},
        ),
        migrations.AlterModelOptions(
            name="externalidentity",
            options={"verbose_name_plural": "external identities"},
        ),
        migrations.AlterModelOptions(
            name="signin",
            options={"verbose_name": "sign-in"},
        ),
    ]
