"""Relationships that memories state."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0040_written_protected'),
    ]

    operations = [
        migrations.CreateModel(
            name='StatedRelation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('relation', models.CharField(choices=[('works_at', 'Works At'), ('part_of', 'Part Of'), ('reports_to', 'Reports To'), ('responsible_for', 'Responsible For'), ('located_in', 'Located In')], max_length=15)),
                ('subject', models.UUIDField()),
                ('object', models.UUIDField()),
                ('source', models.CharField(choices=[('rules', 'Rules'), ('llm', 'Llm'), ('given', 'Given')], max_length=5)),
                ('confidence', models.FloatField()),
                ('stated_at', models.DateTimeField()),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('memory', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'subject', 'audience', 'memory'], name='stated_relation_from'), models.Index(fields=['organisation', 'object', 'audience', 'memory'], name='stated_relation_into')],
                'constraints': [models.UniqueConstraint(fields=('organisation', 'memory', 'relation', 'subject', 'object'), name='stated_relation_once'), models.CheckConstraint(condition=models.Q(('relation__in', ['works_at', 'part_of', 'reports_to', 'responsible_for', 'located_in']), ('source__in', ['rules', 'llm', 'given']), ('confidence__range', (0, 1)), models.Q(('subject', models.F('object')), _negated=True)), name='stated_relation_fits')],
            },
        ),
        run_sql_file('memories', 'stated_relation_v1'),
    ]
