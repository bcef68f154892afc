"""When memories came to their readers, changed and left them, for copies that are kept elsewhere."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0053_vector_parts'),
        ('orgs', '0020_has_parts'),
    ]

    operations = [
        migrations.CreateModel(
            name='Change',
            fields=[
                ('kind', models.CharField(max_length=12)),
                ('memory', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='change', serialize=False, to='memories.memory')),
                ('since', models.BigIntegerField()),
                ('at', models.BigIntegerField()),
                ('expires_at', models.DateTimeField(null=True)),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'audience', 'at', 'memory'], name='change_at'), models.Index(condition=models.Q(('expires_at__isnull', False)), fields=['organisation', 'audience', 'expires_at'], name='change_expires')],
            },
        ),
        migrations.CreateModel(
            name='Departure',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('memory', models.UUIDField()),
                ('since', models.BigIntegerField()),
                ('at', models.BigIntegerField()),
                ('reason', models.CharField(max_length=9)),
                ('expires_at', models.DateTimeField(null=True)),
                ('left_on', models.DateField()),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'audience', 'at'], name='departure_at'), models.Index(fields=['organisation', 'left_on'], name='departure_left_on')],
                'constraints': [models.CheckConstraint(condition=models.Q(('reason__in', ['forgotten', 'erased', 'gone'])), name='departure_reason_known')],
            },
        ),
        run_sql_file('memories', 'change_v1'),
    ]
