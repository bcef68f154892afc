"""A robot has jobs of its own; a job says when it began."""

import orgs.models.base
from django.db import migrations, models
from django.db.models import DO_NOTHING

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0047_usage_of_memories'),
        ('robots', '0014_oauth'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='job',
            name='key',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=DO_NOTHING, related_name='+', to='robots.key'),
        ),
        migrations.AddField(
            model_name='job',
            name='started_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.CheckConstraint(condition=models.Q(('key', None), ('robot', None)) | models.Q(('member', None), ('period', None), ('robot__isnull', False)), name='job_of_one_asker'),
        ),
        run_sql_file('memories', 'robot_jobs_v1'),
    ]
