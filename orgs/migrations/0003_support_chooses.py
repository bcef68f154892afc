"""Support staff choose one organisation, so they may know which ones there are.

The other support policies hold to the organisation that is chosen; of this table support reads
the columns of 0002 alone. The policy of 0002 goes: beside this one it would decide nothing.
"""

from django.db import migrations

from orgs.database.protect import SUPPORT


class Migration(migrations.Migration):
    dependencies = [("orgs", "0002_protect")]

    operations = [
        migrations.RunSQL(
            f"CREATE POLICY orgs_organisation_support_choose ON orgs_organisation "
            f"FOR SELECT TO {SUPPORT} USING (true)",
            "DROP POLICY orgs_organisation_support_choose ON orgs_organisation",
        ),
        migrations.RunSQL(
            "DROP POLICY orgs_organisation_support_select ON orgs_organisation",
            migrations.RunSQL.noop,
        ),
    ]
