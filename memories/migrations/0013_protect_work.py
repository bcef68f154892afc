"""Row-level security of jobs and saved views: each member's own."""

from django.db import migrations

from orgs.database.protect import Protect

PLACES = {
    "organisation_id": ("orgs_organisation", "CASCADE"),
    "audience_id": ("orgs_audience", "CASCADE"),
    "member_id": ("orgs_member", "CASCADE"),
}


class Migration(migrations.Migration):
    dependencies = [("memories", "0012_work")]

    operations = [
        # The worker finds what was left lying; it runs it as app, for the member who asked.
        Protect(
            "memories_job",
            by="audience",
            references=PLACES,
            worker=True,
            support=("id", "organisation_id", "kind", "state", "done", "total", "attempts", "created_at"),
        ),
        Protect("memories_savedview", by="audience", references=PLACES),
    ]
