"""What somebody was served is counted for them alone; for others by the day, if enough could read it."""

import django.db.models.deletion
import orgs.models.base
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0033_use_of_tier_and_key'),
        ('orgs', '0006_support'),
    ]

    operations = [
        migrations.CreateModel(
            name='KnownUse',
            fields=[
                ('memory', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='known_use', serialize=False, to='memories.memory')),
                ('tier', models.CharField(choices=[('fast', 'Fast'), ('medium', 'Medium'), ('slow', 'Slow'), ('glacial', 'Glacial')], max_length=7)),
                ('tier_since', models.DateTimeField(null=True)),
                ('access_count', models.PositiveIntegerField(default=0)),
                ('last_accessed_at', models.DateTimeField(null=True)),
                ('updates', models.PositiveIntegerField(default=0)),
                ('successes', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('surprise', models.FloatField(default=0.0)),
            ],
            options={
                'db_table': 'memories_known_use',
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='ReaderUse',
            fields=[
                ('memory', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='+', serialize=False, to='memories.memory')),
                ('reader', models.UUIDField()),
                ('access_count', models.PositiveIntegerField(db_default=0, default=0)),
                ('last_accessed_at', models.DateTimeField(null=True)),
                ('updates', models.PositiveIntegerField(db_default=0, default=0)),
                ('successes', models.PositiveIntegerField(db_default=0, default=0)),
                ('failures', models.PositiveIntegerField(db_default=0, default=0)),
                ('surprise', models.FloatField(db_default=0.0, default=0.0)),
                ('counted_for', models.UUIDField(null=True)),
                ('day', models.DateField(null=True)),
                ('day_count', models.PositiveIntegerField(db_default=0, default=0)),
                ('shared_count', models.PositiveIntegerField(db_default=0, default=0)),
                ('published', models.PositiveIntegerField(db_default=0, default=0)),
                ('top_day', models.DateField(null=True)),
                ('earlier_top_day', models.DateField(null=True)),
                ('due_day', models.DateField(null=True)),
                ('once_a_day', models.BooleanField(db_default=False, default=False)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='workingentry',
            name='working_entry_once',
        ),
        migrations.AddField(
            model_name='feedback',
            name='counted_for',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='feedback',
            name='learned',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='feedback',
            name='published',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='feedback',
            name='told_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='operation',
            name='reader',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='transition',
            name='moved_for',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='use',
            name='given_since',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='use',
            name='given_tier',
            field=models.CharField(choices=[('fast', 'Fast'), ('medium', 'Medium'), ('slow', 'Slow'), ('glacial', 'Glacial')], db_default='slow', default='slow', max_length=7),
        ),
        migrations.AddField(
            model_name='workingentry',
            name='reader',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='readeruse',
            name='member',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='readeruse',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddIndex(
            model_name='readeruse',
            index=models.Index(condition=models.Q(('due_day__isnull', False)), fields=['organisation', 'due_day'], name='reader_use_due'),
        ),
        run_sql_file("memories", "reader_use_v1"),
        migrations.AlterField(
            model_name='workingentry',
            name='reader',
            field=models.UUIDField(),
        ),
        migrations.AddConstraint(
            model_name='workingentry',
            constraint=models.UniqueConstraint(fields=('organisation', 'audience', 'reader', 'memory'), name='working_entry_once'),
        ),
        run_sql_file("memories", "known_use_v1"),
    ]
