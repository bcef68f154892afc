"""What members allowed OAuth clients; a personal robot for each of these clients."""

import django.db.models.deletion
import django.utils.timezone
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0013_idempotency'),
        ('robots', '0013_enrolment'),
    ]

    operations = [
        migrations.CreateModel(
            name='OAuthGrant',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('client', models.CharField(max_length=100)),
                ('client_name', models.CharField(blank=True, default='', max_length=100)),
                ('client_host', models.CharField(max_length=253)),
                ('scopes', models.JSONField(default=list)),
                ('resource', models.CharField(max_length=300)),
                ('redirect_uri', models.CharField(max_length=2000)),
                ('code_challenge', models.CharField(max_length=128)),
                ('code_digest', models.CharField(max_length=64)),
                ('code_expires_at', models.DateTimeField()),
                ('code_used_at', models.DateTimeField(blank=True, null=True)),
                ('family_digest', models.CharField(blank=True, default='', max_length=64)),
                ('refresh_digest', models.CharField(blank=True, default='', max_length=64)),
                ('previous_digest', models.CharField(blank=True, default='', max_length=64)),
                ('refreshed_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('key', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.key')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddField(
            model_name='key',
            name='resource',
            field=models.CharField(blank=True, db_default='', default='', max_length=300),
        ),
        migrations.AddField(
            model_name='key',
            name='text_expires_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RemoveConstraint(
            model_name='robot',
            name='robot_personal_once',
        ),
        migrations.AddField(
            model_name='robot',
            name='client',
            field=models.CharField(blank=True, db_default='', default='', max_length=100),
        ),
        migrations.AddConstraint(
            model_name='robot',
            constraint=models.UniqueConstraint(condition=models.Q(('retired_at__isnull', True)), fields=('organisation', 'owner', 'client'), name='robot_personal_once'),
        ),
        run_sql_file('robots', 'oauth_v1'),
    ]
