"""Whether an organisation has texts of several parts."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0019_indexed_language'),
    ]

    operations = [
        migrations.AddField('organisation', 'has_parts', models.BooleanField(db_default=False, default=False, editable=False)),
        run_sql_file('orgs', 'has_parts_v1'),
    ]
