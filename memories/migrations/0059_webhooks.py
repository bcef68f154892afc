"""Endpoints of webhooks, and what they are sent."""

import django.contrib.postgres.fields
import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0058_departure_last_change'),
        ('orgs', '0021_suspension'),
        ('robots', '0017_key_limits'),
    ]

    operations = [
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=2000)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('memory.created', 'Memory Created'), ('memory.changed', 'Memory Changed'), ('memory.forgotten', 'Memory Forgotten'), ('memory.erased', 'Memory Erased'), ('memory.gone', 'Memory Gone'), ('decision.recorded', 'Decision Recorded'), ('job.finished', 'Job Finished'), ('webhook.test', 'Test')], max_length=20), size=None)),
                ('with_text', models.BooleanField(default=False)),
                ('secret', models.TextField()),
                ('previous_secret', models.TextField(blank=True, default='')),
                ('previous_expires_at', models.DateTimeField(null=True)),
                ('position', models.BinaryField()),
                ('jobs_seen_at', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('failures', models.PositiveIntegerField(default=0)),
                ('paused_until', models.DateTimeField(null=True)),
                ('disabled_at', models.DateTimeField(null=True)),
                ('disabled_for', models.CharField(blank=True, choices=[('asked', 'Asked'), ('key', 'Key'), ('owner', 'Owner'), ('gone', 'Gone'), ('address', 'Address'), ('secret', 'Unsigned')], default='', max_length=7)),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('key', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.key')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('event', models.CharField(choices=[('memory.created', 'Memory Created'), ('memory.changed', 'Memory Changed'), ('memory.forgotten', 'Memory Forgotten'), ('memory.erased', 'Memory Erased'), ('memory.gone', 'Memory Gone'), ('decision.recorded', 'Decision Recorded'), ('job.finished', 'Job Finished'), ('webhook.test', 'Test')], max_length=20)),
                ('subject', models.UUIDField(null=True)),
                ('facts', models.JSONField(default=dict)),
                ('occurred_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('sent', 'Sent'), ('withheld', 'Withheld'), ('dead', 'Dead')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_attempt_at', models.DateTimeField(null=True)),
                ('leased_until', models.DateTimeField(null=True)),
                ('attempted_at', models.DateTimeField(null=True)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('error', models.CharField(blank=True, choices=[('timeout', 'Timeout'), ('unreachable', 'Unreachable'), ('status', 'Status')], default='', max_length=11)),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('owner_audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('endpoint', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.webhookendpoint')),
            ],
            options={'verbose_name_plural': 'webhook deliveries'},
        ),
        migrations.AddConstraint(
            model_name='webhookendpoint',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('key', None), ('member__isnull', False), ('robot', None)), models.Q(('member', None), ('robot__isnull', False)), _connector='OR'), name='webhook_of_one_owner'),
        ),
        migrations.AddConstraint(
            model_name='webhookendpoint',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('disabled_at', None), ('disabled_for', '')), models.Q(('disabled_at__isnull', False), models.Q(('disabled_for', ''), _negated=True)), _connector='OR'), name='webhook_disabled_for_a_reason'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['organisation', 'endpoint', 'next_attempt_at'], name='webhookdelivery_waiting'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['organisation', 'endpoint', 'id'], name='webhookdelivery_log'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['organisation', 'created_at'], name='webhookdelivery_age'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.UniqueConstraint(condition=models.Q(('occurred_at__isnull', False)), fields=('organisation', 'endpoint', 'subject', 'occurred_at'), name='webhookdelivery_once_a_job'),
        ),
        run_sql_file('memories', 'webhooks_v1'),
    ]
