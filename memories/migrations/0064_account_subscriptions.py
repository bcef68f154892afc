"""A calendar or feed can be fetched from an address, again and again."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0062_kept_questions'),
    ]

    operations = [
        migrations.AddField(
            model_name='account',
            name='url',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='account',
            name='period_minutes',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='account',
            name='next_run_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='account',
            name='etag',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='account',
            name='modified',
            field=models.CharField(blank=True, db_default='', default='', max_length=100),
        ),
        migrations.AddField(
            model_name='account',
            name='failures',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='account',
            name='paused_for',
            field=models.CharField(blank=True, choices=[('asked', 'Asked'), ('secret', 'Secret'), ('address', 'Address'), ('timeout', 'Timeout'), ('unreachable', 'Unreachable'), ('redirect', 'Redirect'), ('refused', 'Refused'), ('too-large', 'Too Large'), ('encoded', 'Encoded'), ('unreadable', 'Unreadable')], db_default='', default='', max_length=11),
        ),
        migrations.AddField(
            model_name='accountentry',
            name='uid',
            field=models.CharField(blank=True, db_default='', default='', max_length=32),
        ),
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=[('calendar', 'Calendar'), ('mail', 'Mail'), ('feed', 'Feed')], max_length=8),
        ),
        migrations.AlterField(
            model_name='accountentry',
            name='kind',
            field=models.CharField(choices=[('calendar', 'Calendar'), ('mail', 'Mail'), ('feed', 'Feed')], max_length=8),
        ),
        migrations.RemoveConstraint(model_name='account', name='account_kind_known'),
        AddConstraintNotValid(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['calendar', 'mail', 'feed'])), name='account_kind_known'),
        ),
        run_sql_file('memories', 'account_subscriptions_v1'),
        run_sql_file('memories', 'never_teaches_v6'),
    ]
