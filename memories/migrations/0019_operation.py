"""What was done with which memory."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0018_accounts'),
        ('orgs', '0003_functions'),
        ('robots', '0004_working_memory_tokens'),
    ]

    operations = [
        migrations.CreateModel(
            name='Operation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('verb', models.CharField(max_length=8)),
                ('at', models.DateTimeField()),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('memory', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'memory'], name='operation_memory'), models.Index(fields=['organisation', 'at', 'id'], name='operation_at')],
                'constraints': [models.CheckConstraint(condition=models.Q(('verb__in', ['remember', 'recall', 'evict', 'forget'])), name='operation_verb_known')],
            },
        ),
        run_sql_file('memories', 'operation_v1'),
    ]
