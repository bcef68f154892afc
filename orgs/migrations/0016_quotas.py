"""How much an organisation keeps and may keep."""

import django.db.models.deletion
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0013_idempotency'),
    ]

    operations = [
        migrations.CreateModel(
            name='Quota',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('memories', models.BigIntegerField(null=True)),
                ('bytes', models.BigIntegerField(null=True)),
                ('robots', models.BigIntegerField(null=True)),
                ('groups', models.BigIntegerField(null=True)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation',), name='quota_once'), models.CheckConstraint(condition=models.Q(('memories__gte', 0), ('bytes__gte', 0), ('robots__gte', 0), ('groups__gte', 0)), name='quota_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='Usage',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('memories', models.BigIntegerField()),
                ('bytes', models.BigIntegerField()),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
        ),
        run_sql_file('orgs', 'quotas_v1'),
    ]
