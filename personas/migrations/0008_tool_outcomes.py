"""How calls of tools turned out, by persona, tool and day."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0001_tables'),
        ('personas', '0007_global_block'),
    ]

    operations = [
        migrations.CreateModel(
            name='ToolOutcome',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('tool', models.CharField(max_length=64)),
                ('day', models.DateField()),
                ('successes', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('persona', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='personas.persona')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation', 'persona', 'tool', 'day'), name='tool_outcome_once')],
            },
        ),
        run_sql_file('personas', 'tool_outcomes_v1'),
    ]
