"""A robot that a member told something has a block of its own about them."""

import django.db.models.deletion
import orgs.models.base
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('personas', '0003_lesson_days'),
        ('robots', '0012_direct_lists'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='block', name='block_once'),
        migrations.RemoveConstraint(model_name='block', name='block_of_one'),
        migrations.AddField(
            model_name='block',
            name='robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.UniqueConstraint(fields=('organisation', 'layer', 'member', 'persona', 'robot'), name='block_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('layer', 'agent_persona'), ('member', None), ('persona', None), ('robot', None)), models.Q(('layer', 'human'), ('member__isnull', False), ('persona', None)), models.Q(('layer', 'user_persona_profile'), ('member__isnull', False), ('persona', None), ('robot', None)), models.Q(('layer', 'service_experience'), ('member', None), ('persona__isnull', False), ('robot', None)), _connector='OR'), name='block_of_one'),
        ),
        run_sql_file('personas', 'told_blocks_v1'),
    ]
