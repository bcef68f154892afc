"""A group's own names get a column of their own; two groups may have one external id."""

from django.db import migrations, models

import orgs.models.base
from orgs.database.protect import back

REFERENCE = """
ALTER TABLE orgs_externalidentity ADD CONSTRAINT orgs_externalidentity_group_id_fk
    FOREIGN KEY (organisation_id, group_id) REFERENCES orgs_group (organisation_id, id)
    ON DELETE CASCADE
"""


class Migration(migrations.Migration):
    dependencies = [("orgs", "0012_removed")]

    operations = [
        migrations.RemoveConstraint(model_name="externalidentity", name="identity_once"),
        migrations.AddField(
            model_name="externalidentity",
            name="group",
            field=orgs.models.base.TenantKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=models.DO_NOTHING,
                related_name="+",
                to="orgs.group",
            ),
        ),
        migrations.AddConstraint(
            model_name="externalidentity",
            constraint=models.UniqueConstraint(
                fields=("organisation", "platform", "identifier", "group"),
                name="identity_once",
                nulls_distinct=False,
            ),
        ),
        migrations.RunSQL(REFERENCE, migrations.RunSQL.noop),
        migrations.RunSQL(back("orgs_externalidentity", "group_id"), migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name="group", name="group_external_id"),
        migrations.AddIndex(
            model_name="group",
            index=models.Index(fields=["organisation", "external_id"], name="group_called"),
        ),
    ]
