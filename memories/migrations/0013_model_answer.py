"""What a language model answered is kept as a word and a hash, so that it is asked once."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0012_superseded'),
        ('orgs', '0003_functions'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelAnswer',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('question', models.BinaryField(max_length=32)),
                ('answer', models.CharField(max_length=10)),
                ('answered_at', models.DateTimeField()),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('memory', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'memory'], name='model_answer_memory')],
                'constraints': [models.UniqueConstraint(fields=('organisation', 'question'), name='model_answer_once'), models.CheckConstraint(condition=models.Q(('answer__in', ['contradict', 'same', 'different', 'reworded', 'refused'])), name='model_answer_known')],
            },
        ),
        run_sql_file('memories', 'model_answer_v1'),
    ]
