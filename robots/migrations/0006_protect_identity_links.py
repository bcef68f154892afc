"""Row-level security of what robots say about identities; it goes with robot and identity."""

from django.db import migrations

from orgs.database.protect import Protect


class Migration(migrations.Migration):
    dependencies = [("robots", "0005_identity_links")]

    operations = [
        Protect(
            "robots_identitylink",
            references={
                "organisation_id": ("orgs_organisation", "CASCADE"),
                "identity_id": ("orgs_externalidentity", "CASCADE"),
                "robot_id": ("robots_robot", "CASCADE"),
            },
        ),
    ]
