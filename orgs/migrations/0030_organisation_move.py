"""What moves to another server, and what each server says of it."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0029_placement'),
    ]

    operations = [
        migrations.CreateModel(
            name='OrganisationFence',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('arriving', 'Arriving'), ('sealed', 'Sealed'), ('moved', 'Moved')], max_length=8)),
                ('until', models.DateTimeField(null=True)),
                ('since', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='OrganisationMove',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('slug', models.CharField(max_length=80)),
                ('source', models.CharField(blank=True, max_length=40)),
                ('target', models.CharField(blank=True, max_length=40)),
                ('step', models.CharField(choices=[('moving', 'Moving'), ('flipped', 'Flipped'), ('cancelling', 'Cancelling')], max_length=10)),
                ('started_at', models.DateTimeField()),
            ],
        ),
        run_sql_file('orgs', 'organisation_move_v1'),
    ]
