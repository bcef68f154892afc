"""A newer memory may hold in the place of an older one; both are kept."""

import django.db.models.deletion
import orgs.models.base
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0011_over_capacity'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='superseded_by',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='memory',
            name='valid_until',
            field=models.DateTimeField(blank=True, null=True),
        ),
        run_sql_file('memories', 'superseded_v1'),
    ]
