"""Of a member who is erased an id stays, without a name; the audit trail may lose it as well."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0003_functions'),
    ]

    operations = [
        migrations.AddField(
            model_name='member',
            name='erased_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        run_sql_file('orgs', 'audit_stays_v2'),
    ]
