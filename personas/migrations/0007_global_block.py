"""A block of what was learned for everybody, global_experience."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('personas', '0006_told_blocks'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='block', name='block_of_one'),
        migrations.AlterField(
            model_name='block',
            name='layer',
            field=models.CharField(choices=[('agent_persona', 'Agent'), ('human', 'Human'), ('user_persona_profile', 'Profile'), ('service_experience', 'Shared'), ('global_experience', 'Global')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('layer__in', ('agent_persona', 'global_experience')), ('member', None), ('persona', None), ('robot', None)), models.Q(('layer', 'human'), ('member__isnull', False), ('persona', None)), models.Q(('layer', 'user_persona_profile'), ('member__isnull', False), ('persona', None), ('robot', None)), models.Q(('layer', 'service_experience'), ('member', None), ('persona__isnull', False), ('robot', None)), _connector='OR'), name='block_of_one'),
        ),
        run_sql_file('personas', 'global_block_v1'),
    ]
