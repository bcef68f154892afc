"""Which index layouts an organisation keeps; the worker asks too."""

import django.contrib.postgres.fields
from django.db import migrations, models

import orgs.models.organisations
from orgs.database.protect import WORKER


class Migration(migrations.Migration):

    dependencies = [("orgs", "0008_group_profile")]

    operations = [
        migrations.AddField(
            model_name="organisation",
            name="projections",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(choices=[("graph", "Graph"), ("partitions", "Partitions")], max_length=10),
                blank=True,
                default=orgs.models.organisations.default_projections,
                help_text="Which index layouts are kept; rebuild_projections fills one switched on later.",
                size=None,
            ),
        ),
        migrations.AddConstraint(
            model_name="organisation",
            constraint=models.CheckConstraint(
                condition=models.Q(("projections__contained_by", ["graph", "partitions"])),
                name="organisation_projections_known",
            ),
        ),
        migrations.RunSQL(
            f"GRANT SELECT (projections) ON orgs_organisation TO {WORKER}", migrations.RunSQL.noop
        ),
    ]
