"""Answers of calls with an Idempotency-Key."""

import django.contrib.postgres.fields
import django.db.models.deletion
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0012_superuser_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('caller', models.UUIDField()),
                ('call', models.BinaryField()),
                ('request', models.BinaryField()),
                ('standing', models.BinaryField()),
                ('status', models.PositiveSmallIntegerField()),
                ('headers', models.JSONField(default=dict)),
                ('body', models.BinaryField(null=True)),
                ('shows', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('created_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'created_at'], name='idempotency_age')],
                'constraints': [models.UniqueConstraint(fields=('organisation', 'caller', 'call'), name='idempotency_once')],
            },
        ),
        run_sql_file('orgs', 'idempotency_v1'),
    ]
