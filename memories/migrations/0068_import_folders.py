"""Folders on the server whose new files are imported each period."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0067_mailbox_reasons'),
        ('orgs', '0033_usage_of_cascades'),
        ('robots', '0017_key_limits'),
    ]

    operations = [
        migrations.CreateModel(
            name='ImportSubscription',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('period_minutes', models.PositiveSmallIntegerField(null=True)),
                ('next_run_at', models.DateTimeField(null=True)),
                ('failures', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('folder', models.CharField(blank=True, max_length=500)),
                ('format', models.CharField(max_length=20)),
                ('time_zone', models.CharField(blank=True, default='', max_length=64)),
                ('columns', models.TextField(blank=True, default='')),
                ('by_group', models.BooleanField(default=False)),
                ('join_groups', models.BooleanField(default=False)),
                ('readers', models.CharField(choices=[('private', 'Private'), ('organisation', 'Organisation'), ('group', 'Group')], default='private', max_length=12)),
                ('created_at', models.DateTimeField()),
                ('last_run_at', models.DateTimeField(null=True)),
                ('paused_for', models.CharField(blank=True, choices=[('asked', 'Asked'), ('author', 'Author'), ('group', 'Group'), ('setting', 'Setting'), ('folder', 'Folder'), ('unreadable', 'Unreadable'), ('too-many', 'Too Many'), ('files', 'Files')], db_default='', default='', max_length=11)),
                ('group', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group')),
                ('key', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.key')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
        ),
        migrations.CreateModel(
            name='FolderFile',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('path', models.CharField(max_length=64)),
                ('size', models.BigIntegerField()),
                ('changed_ns', models.BigIntegerField()),
                ('digest', models.CharField(blank=True, default='', max_length=64)),
                ('problem', models.TextField(blank=True, default='')),
                ('looked_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('subscription', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.importsubscription')),
            ],
        ),
        migrations.AddConstraint(
            model_name='importsubscription',
            constraint=models.UniqueConstraint(fields=('organisation', 'folder'), name='import_subscription_folder_once'),
        ),
        migrations.AddConstraint(
            model_name='importsubscription',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('key', None), ('member__isnull', False), ('robot', None)), models.Q(('member', None), ('robot__isnull', False)), _connector='OR'), name='import_subscription_of_one_author'),
        ),
        migrations.AddConstraint(
            model_name='importsubscription',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('group__isnull', False), ('readers', 'group')), models.Q(('group', None), ('readers__in', ['private', 'organisation'])), _connector='OR'), name='import_subscription_readers'),
        ),
        migrations.AddConstraint(
            model_name='folderfile',
            constraint=models.UniqueConstraint(fields=('organisation', 'subscription', 'path'), name='folder_file_once'),
        ),
        run_sql_file('memories', 'import_folders_v1'),
        run_sql_file('memories', 'never_teaches_v7'),
    ]
