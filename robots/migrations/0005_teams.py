"""Teams of robots."""

import django.db.models.deletion
import django.utils.timezone
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0003_functions'),
        ('robots', '0004_working_memory_tokens'),
    ]

    operations = [
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(blank=True, max_length=64, null=True)),
                ('name', models.CharField(max_length=200)),
                ('purpose', models.TextField(blank=True, default='')),
                ('working_memory_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='TeamRobot',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('active', 'Active'), ('passive', 'Passive')], max_length=7)),
                ('status_at', models.DateTimeField()),
                ('joined_at', models.DateTimeField()),
                ('last_seen_at', models.DateTimeField(blank=True, null=True)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='teams', to='robots.robot')),
                ('team', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='robots', to='robots.team')),
            ],
            options={
                'verbose_name': 'robot in a team',
                'verbose_name_plural': 'robots in teams',
            },
        ),
        migrations.AddIndex(
            model_name='team',
            index=models.Index(fields=['organisation', 'name'], name='team_name'),
        ),
        migrations.AddConstraint(
            model_name='team',
            constraint=models.UniqueConstraint(condition=models.Q(('removed_at__isnull', True)), fields=('organisation', 'external_id'), name='team_external_id'),
        ),
        migrations.AddConstraint(
            model_name='teamrobot',
            constraint=models.UniqueConstraint(fields=('organisation', 'team', 'robot'), name='team_robot_once'),
        ),
        migrations.AddConstraint(
            model_name='teamrobot',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['active', 'passive'])), name='team_robot_status_known'),
        ),
        run_sql_file('robots', 'teams_v1'),
    ]
