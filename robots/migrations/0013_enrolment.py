"""Keys by which robots register themselves."""

import django.db.models.deletion
import django.utils.timezone
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0012_superuser_keys'),
        ('robots', '0012_direct_lists'),
    ]

    operations = [
        migrations.CreateModel(
            name='EnrolmentKey',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('prefix', models.CharField(max_length=16)),
                ('digest', models.CharField(max_length=64)),
                ('label', models.CharField(blank=True, default='', max_length=100)),
                ('scopes', models.JSONField(default=list)),
                ('groups', models.JSONField(default=list)),
                ('most', models.PositiveIntegerField()),
                ('used', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation', 'prefix'), name='enrolment_key_prefix'), models.CheckConstraint(condition=models.Q(('used__lte', models.F('most'))), name='enrolment_key_most')],
            },
        ),
        run_sql_file('robots', 'enrolment_v1'),
    ]
