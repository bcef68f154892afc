"""The worker knows how far a memory reaches, who speaks in it and what they wish: no more of them."""

from django.db import migrations

from orgs.database.protect import BY_ORGANISATION, WORKER, policy_sql

MINE = BY_ORGANISATION.format(column="organisation_id")
MEMBER = "id, organisation_id, name, time_zone, sharing_off_at"


class Migration(migrations.Migration):
    dependencies = [("orgs", "0009_projections")]

    operations = [
        migrations.RunSQL(statement, migrations.RunSQL.noop)
        for statement in (
            f"GRANT SELECT (id, organisation_id, kind) ON orgs_audience TO {WORKER}",
            policy_sql("orgs_audience", WORKER, "SELECT", MINE),
            f"GRANT SELECT ({MEMBER}) ON orgs_member TO {WORKER}",
            policy_sql("orgs_member", WORKER, "SELECT", MINE),
        )
    ]
