"""What an organisation lets its workers do by themselves."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0007_contradictions'),
        ('orgs', '0003_functions'),
    ]

    operations = [
        migrations.CreateModel(
            name='AgeingPolicy',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('evict', models.BooleanField(default=False)),
                ('capacities', models.CharField(default='standard', max_length=8)),
                ('merge_duplicates', models.BooleanField(default=False)),
                ('max_age_days', models.JSONField(default=dict)),
                ('past_half_life', models.BooleanField(default=False)),
                ('keep_most', models.PositiveIntegerField(null=True)),
                ('changed_at', models.DateTimeField(null=True)),
                ('changed_by', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'verbose_name_plural': 'ageing policies',
                'constraints': [models.UniqueConstraint(fields=('organisation',), name='ageing_policy_once'), models.CheckConstraint(condition=models.Q(('capacities__in', ['standard', 'large'])), name='ageing_policy_words_known')],
            },
        ),
        run_sql_file('memories', 'ageing_policy_v1'),
    ]
