"""Break glass: which memory support opened, why, and whom it concerns; append-only."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.protect import Protect


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0010_protect_proposals'),
        ('orgs', '0005_audit_stays'),
    ]

    operations = [
        migrations.CreateModel(
            name='Disclosure',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('staff', models.BigIntegerField()),
                ('staff_name', models.CharField(max_length=200)),
                ('reason', models.CharField(max_length=300)),
                ('told', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ends_at', models.DateTimeField()),
                ('memory', orgs.models.base.TenantKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'staff', 'memory'], name='disclosure_open')],
            },
        ),
        Protect(
            "memories_disclosure",
            references={
                "organisation_id": ("orgs_organisation", "CASCADE"),
                "memory_id": ("memories_memory", "SET NULL"),
            },
            append_only=True,
        ),
    ]
