"""Row-level security, policies and composite constraints of the organisation's tables."""

from django.db import migrations

from orgs.database.protect import OWNER, WORKER, Protect

ORGANISATION = ("orgs_organisation", "CASCADE")


class Migration(migrations.Migration):
    dependencies = [("orgs", "0001_initial")]

    operations = [
        Protect(
            "orgs_organisation",
            by="self",
            support=("id", "name", "slug", "language", "members_publish", "created_at"),
        ),
        # The owner migrates and is asked by the machine's commands which tenant a slug names;
        # the sweeper needs the ids, and nothing else, of the tenants that may have work.
        migrations.RunSQL(
            f"""
            CREATE POLICY orgs_organisation_owner_select ON orgs_organisation
                FOR SELECT TO {OWNER} USING (true);
            CREATE POLICY orgs_organisation_worker_select ON orgs_organisation
                FOR SELECT TO {WORKER} USING (true);
            GRANT SELECT (id, language) ON orgs_organisation TO {WORKER};
            """,
            migrations.RunSQL.noop,
        ),
        Protect(
            "orgs_member",
            by="member",
            references={"organisation_id": ORGANISATION},
            support=("id", "organisation_id", "user_id", "name", "role", "time_zone", "created_at"),
        ),
        Protect(
            "orgs_group",
            references={
                "organisation_id": ORGANISATION,
                "owner_id": ("orgs_member", "SET NULL"),
            },
            support=(
                "id",
                "organisation_id",
                "external_id",
                "name",
                "confidential",
                "owner_id",
                "created_at",
            ),
        ),
        Protect(
            "orgs_groupmembership",
            references={
                "organisation_id": ORGANISATION,
                "group_id": ("orgs_group", "CASCADE"),
                "member_id": ("orgs_member", "CASCADE"),
            },
            support=("id", "organisation_id", "group_id", "member_id", "created_at"),
        ),
        Protect(
            "orgs_externalidentity",
            references={"organisation_id": ORGANISATION, "member_id": ("orgs_member", "CASCADE")},
        ),
        Protect(
            "orgs_audience",
            references={"organisation_id": ORGANISATION, "group_id": ("orgs_group", "CASCADE")},
            support=("id", "organisation_id", "kind", "group_id", "created_at"),
        ),
        Protect(
            "orgs_audienceentry",
            references={
                "organisation_id": ORGANISATION,
                "audience_id": ("orgs_audience", "CASCADE"),
            },
        ),
        Protect(
            "orgs_auditentry",
            references={"organisation_id": ORGANISATION},
            append_only=True,
            worker=True,
            support=(
                "id",
                "organisation_id",
                "at",
                "action",
                "member",
                "robot",
                "staff",
                "target_type",
                "target",
            ),
        ),
    ]
