"""The tables of robots, keys, identities and conversations."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('orgs', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Conversation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(blank=True, max_length=300, null=True)),
                ('title', models.CharField(blank=True, default='', max_length=300)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('next_position', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_message_at', models.DateTimeField(blank=True, null=True)),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('group', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group')),
                ('member', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='Robot',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(blank=True, max_length=64, null=True)),
                ('name', models.CharField(max_length=200)),
                ('builtin', models.CharField(blank=True, max_length=20, null=True)),
                ('purpose', models.TextField(blank=True, default='')),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('last_active_at', models.DateTimeField(blank=True, null=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('owner', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
            ],
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(blank=True, max_length=300, null=True)),
                ('position', models.BigIntegerField()),
                ('role', models.CharField(choices=[('user', 'User'), ('agent', 'Agent'), ('system', 'System')], max_length=6)),
                ('content', models.TextField()),
                ('speaker', models.CharField(blank=True, default='', max_length=400)),
                ('speaker_key', models.CharField(blank=True, default='', max_length=400)),
                ('mentions', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=400), blank=True, default=list, size=None)),
                ('listeners', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ('reply_to_key', models.CharField(blank=True, max_length=300, null=True)),
                ('type', models.CharField(max_length=12)),
                ('kind', models.CharField(max_length=12)),
                ('reason', models.CharField(blank=True, default='', max_length=20)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('sent_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('author', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('conversation', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='messages', to='robots.conversation')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('reply_to', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.message')),
                ('speaker_member', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('robot', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
        ),
        migrations.CreateModel(
            name='Key',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('prefix', models.CharField(max_length=16)),
                ('digest', models.CharField(max_length=64)),
                ('scopes', models.JSONField(default=list)),
                ('label', models.CharField(blank=True, default='', max_length=100)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='keys', to='robots.robot')),
            ],
        ),
        migrations.CreateModel(
            name='IdentityLink',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('known_as', models.CharField(blank=True, default='', max_length=300)),
                ('confidence', models.FloatField(default=1.0)),
                ('evidence', models.CharField(blank=True, default='', max_length=1000)),
                ('created_at', models.DateTimeField()),
                ('identity', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='links', to='orgs.externalidentity')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
        ),
        migrations.CreateModel(
            name='Delegation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='delegations', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='delegations', to='robots.robot')),
            ],
        ),
        migrations.AddField(
            model_name='conversation',
            name='robot',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.CreateModel(
            name='RobotGroup',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('group', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='robot_memberships', to='orgs.group')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='group_memberships', to='robots.robot')),
            ],
            options={
                'verbose_name': 'robot in a group',
                'verbose_name_plural': 'robots in groups',
            },
        ),
        migrations.AddIndex(
            model_name='robot',
            index=models.Index(fields=['organisation', 'name'], name='robot_name'),
        ),
        migrations.AddConstraint(
            model_name='robot',
            constraint=models.UniqueConstraint(fields=('organisation', 'external_id'), name='robot_external_id'),
        ),
        migrations.AddConstraint(
            model_name='robot',
            constraint=models.UniqueConstraint(fields=('organisation', 'builtin'), name='robot_builtin'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['organisation', 'conversation', '-id'], name='message_recent'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('external_id__isnull', False)), fields=['organisation', 'conversation', 'external_id'], name='message_by_key'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('reply_to__isnull', True), ('reply_to_key__isnull', False)), fields=['organisation', 'conversation', 'reply_to_key'], name='message_waits'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('speaker_member__isnull', False)), fields=['organisation', 'speaker_member', 'id'], name='message_speaker'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('organisation', 'conversation', 'audience', 'external_id'), name='message_external_id'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['user', 'agent', 'system'])), name='message_role_known'),
        ),
        migrations.AddIndex(
            model_name='key',
            index=models.Index(fields=['organisation', 'robot'], name='key_robot'),
        ),
        migrations.AddConstraint(
            model_name='key',
            constraint=models.UniqueConstraint(fields=('organisation', 'prefix'), name='key_prefix'),
        ),
        migrations.AddConstraint(
            model_name='identitylink',
            constraint=models.UniqueConstraint(fields=('organisation', 'identity', 'robot'), name='identity_link_once'),
        ),
        migrations.AddConstraint(
            model_name='identitylink',
            constraint=models.UniqueConstraint(condition=models.Q(('known_as', ''), _negated=True), fields=('organisation', 'robot', 'known_as'), name='identity_known_as_once'),
        ),
        migrations.AddConstraint(
            model_name='identitylink',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__range', (0, 1))), name='identity_confidence_in_range'),
        ),
        migrations.AddConstraint(
            model_name='delegation',
            constraint=models.UniqueConstraint(condition=models.Q(('revoked_at__isnull', True)), fields=('organisation', 'member', 'robot'), name='delegation_live_once'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(fields=['organisation', 'audience', '-id'], name='conversation_recent'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('organisation', 'audience', 'external_id'), name='conversation_external_id'),
        ),
        migrations.AddConstraint(
            model_name='robotgroup',
            constraint=models.UniqueConstraint(fields=('organisation', 'robot', 'group'), name='robot_group_once'),
        ),
    ]
