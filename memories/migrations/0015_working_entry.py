"""Which memories a robot has at hand."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0014_export_job'),
        ('orgs', '0003_functions'),
    ]

    operations = [
        migrations.CreateModel(
            name='WorkingEntry',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('tokens', models.PositiveIntegerField(null=True)),
                ('counted_version', models.PositiveIntegerField(null=True)),
                ('added_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField()),
                ('evicted_at', models.DateTimeField(null=True)),
                ('reason', models.CharField(blank=True, choices=[('budget', 'made room'), ('removed', 'taken out by the robot'), ('gone', 'forgotten, archived or expired')], default='', max_length=7)),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('memory', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'verbose_name_plural': 'working entries',
                'indexes': [models.Index(fields=['organisation', 'memory'], name='working_entry_memory')],
                'constraints': [models.UniqueConstraint(fields=('organisation', 'audience', 'memory'), name='working_entry_once'), models.CheckConstraint(condition=models.Q(models.Q(('evicted_at__isnull', True), ('reason', '')), models.Q(('evicted_at__isnull', False), ('reason__in', ['budget', 'removed', 'gone'])), _connector='OR'), name='working_entry_reason_known')],
            },
        ),
        run_sql_file('memories', 'working_entry_v1'),
    ]
