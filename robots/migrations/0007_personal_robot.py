"""A member has one personal robot."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0004_erased_member'),
        ('robots', '0006_personality'),
    ]

    operations = [
        run_sql_file('robots', 'personal_robot_v1'),
        migrations.AddConstraint(
            model_name='robot',
            constraint=models.UniqueConstraint(condition=models.Q(('retired_at__isnull', True)), fields=('organisation', 'owner'), name='robot_personal_once'),
        ),
    ]
