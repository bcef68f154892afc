"""How far the audit trail was told to a syslog server."""

import uuid_utils.compat
from django.db import migrations, models
from django.db.models import deletion

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0027_member_language'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditCursor',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('place', models.JSONField(default=dict)),
                ('told_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation',), name='audit_cursor_once')],
            },
        ),
        run_sql_file('orgs', 'audit_cursor_v1'),
    ]
