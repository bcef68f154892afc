"""On which server an organisation lies."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0028_audit_cursor'),
    ]

    operations = [
        migrations.CreateModel(
            name='Placement',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('server', models.CharField(blank=True, max_length=40)),
                ('slug', models.CharField(max_length=80, unique=True)),
                ('state', models.CharField(choices=[('making', 'Making'), ('ready', 'Ready')], max_length=10)),
            ],
        ),
        run_sql_file('orgs', 'placement_v1'),
    ]
