"""Members join and are removed; browsers in which people are signed in.

Row-level security hides the rows from an UPDATE here, so the members that are there already get
`joined_at` as the column's first value.
"""

import django.db.models.deletion
import django.utils.timezone
import orgs.models.base
from django.conf import settings
from django.db import migrations, models

from orgs.database.protect import SUPPORT


class Migration(migrations.Migration):
    dependencies = [("orgs", "0003_support_chooses")]

    operations = [
        migrations.AddField(
            model_name="member",
            name="joined_at",
            field=models.DateTimeField(blank=True, default=django.utils.timezone.now, null=True),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="member",
            name="removed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunSQL(
            f"GRANT SELECT (joined_at, removed_at) ON orgs_member TO {SUPPORT}",
            migrations.RunSQL.noop,
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                ("id", models.UUIDField(default=orgs.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ("session_key", models.CharField(max_length=40, unique=True)),
                ("browser", models.CharField(help_text='In words: "Firefox on Linux".', max_length=80)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("last_seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="sign_ins", to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
