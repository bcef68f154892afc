"""Calendars and mailboxes that members hand in."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0017_preferences_at_hand'),
        ('orgs', '0003_functions'),
    ]

    operations = [
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('calendar', 'Calendar'), ('mail', 'Mail')], max_length=8)),
                ('name', models.CharField(max_length=100)),
                ('entries', models.PositiveIntegerField(default=0)),
                ('problems', models.JSONField(default=list)),
                ('created_at', models.DateTimeField()),
                ('refreshed_at', models.DateTimeField()),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='AccountEntry',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('calendar', 'Calendar'), ('mail', 'Mail')], max_length=8)),
                ('at', models.DateTimeField()),
                ('until', models.DateTimeField(null=True)),
                ('all_day', models.BooleanField(default=False)),
                ('title', models.CharField(max_length=500)),
                ('person', models.CharField(blank=True, default='', max_length=500)),
                ('place', models.CharField(blank=True, default='', max_length=500)),
                ('text', models.TextField(blank=True, default='')),
                ('account', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.account')),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'verbose_name_plural': 'account entries',
            },
        ),
        migrations.AddConstraint(
            model_name='account',
            constraint=models.UniqueConstraint(fields=('organisation', 'member', 'name'), name='account_name_once'),
        ),
        migrations.AddConstraint(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['calendar', 'mail'])), name='account_kind_known'),
        ),
        migrations.AddIndex(
            model_name='accountentry',
            index=models.Index(fields=['organisation', 'audience', 'kind', 'at'], name='account_entry_at'),
        ),
        run_sql_file('memories', 'accounts_v1'),
    ]
