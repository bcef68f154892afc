"""The tables of organisations, groups, members, audiences, accounts and the audit trail."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import orgs.models.base
import orgs.models.organisations
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Group',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(max_length=200)),
                ('name', models.CharField(max_length=200)),
                ('confidential', models.BooleanField(default=True)),
                ('profile', models.CharField(choices=[('open', 'Open'), ('strict', 'Strict')], default='open', max_length=6)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.UUIDField(default=orgs.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('is_active', models.BooleanField(default=True)),
                ('is_staff', models.BooleanField(default=False, help_text='May use the support admin.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Audience',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('organisation', 'Organisation'), ('group', 'Group'), ('member', 'Member'), ('robot', 'Robot'), ('team', 'Team'), ('persona', 'Persona'), ('industry', 'Industry'), ('role', 'Role'), ('explicit', 'Explicit'), ('review', 'Review')], max_length=12)),
                ('key', models.CharField(blank=True, default='', max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('group', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group')),
            ],
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('role', models.CharField(choices=[('admin', 'Admin'), ('curator', 'Curator'), ('member', 'Member'), ('viewer', 'Viewer')], default='member', max_length=10)),
                ('time_zone', models.CharField(default='UTC', max_length=64)),
                ('learning_paused_at', models.DateTimeField(blank=True, null=True)),
                ('sharing_off_at', models.DateTimeField(blank=True, null=True)),
                ('joined_at', models.DateTimeField(blank=True, null=True)),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('invite_digest', models.CharField(blank=True, default='', max_length=64)),
                ('invite_expires_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddField(
            model_name='group',
            name='owner',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.CreateModel(
            name='Organisation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('language', models.CharField(default='english', help_text='Postgres text-search configuration.', max_length=40)),
                ('members_publish', models.BooleanField(default=False, help_text='Members publish to the organisation without review.')),
                ('demo', models.BooleanField(default=False, help_text='Made to look around in; an admin may remove it with all its rows.')),
                ('projections', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('graph', 'Graph'), ('partitions', 'Partitions')], max_length=10), blank=True, default=orgs.models.organisations.default_projections, help_text='Which index layouts are kept; rebuild_projections fills one switched on later.', size=None)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('removed_at', models.DateTimeField(editable=False, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('projections__contained_by', ['graph', 'partitions'])), name='organisation_projections_known')],
            },
        ),
        migrations.AddField(
            model_name='member',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.CreateModel(
            name='GroupMembership',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('group', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='memberships', to='orgs.group')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='group_memberships', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
        ),
        migrations.AddField(
            model_name='group',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.CreateModel(
            name='ExternalIdentity',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('platform', models.CharField(max_length=40)),
                ('identifier', models.CharField(max_length=300)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('group', orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='identities', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'verbose_name_plural': 'external identities',
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('action', models.CharField(max_length=60)),
                ('member', models.UUIDField(null=True)),
                ('robot', models.UUIDField(null=True)),
                ('staff', models.UUIDField(help_text='The support person, if one acted.', null=True)),
                ('target_type', models.CharField(blank=True, default='', max_length=40)),
                ('target', models.UUIDField(null=True)),
                ('detail', models.JSONField(default=dict)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'verbose_name_plural': 'audit entries',
            },
        ),
        migrations.CreateModel(
            name='AudienceEntry',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('member', 'Member'), ('group', 'Group'), ('robot', 'Robot'), ('team', 'Team')], max_length=8)),
                ('reader', models.UUIDField()),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='entries', to='orgs.audience')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'verbose_name_plural': 'audience entries',
            },
        ),
        migrations.AddField(
            model_name='audience',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.CreateModel(
            name='SignIn',
            fields=[
                ('id', models.UUIDField(default=orgs.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('session_key', models.CharField(max_length=40, unique=True)),
                ('browser', models.CharField(help_text='In words: "Firefox on Linux".', max_length=80)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('last_seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_ins', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'sign-in',
            },
        ),
        migrations.AddConstraint(
            model_name='member',
            constraint=models.UniqueConstraint(fields=('organisation', 'user'), name='member_once', nulls_distinct=True),
        ),
        migrations.AddConstraint(
            model_name='member',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['admin', 'curator', 'member', 'viewer'])), name='member_role_known'),
        ),
        migrations.AddIndex(
            model_name='groupmembership',
            index=models.Index(fields=['organisation', 'member'], name='group_member_member'),
        ),
        migrations.AddConstraint(
            model_name='groupmembership',
            constraint=models.UniqueConstraint(fields=('organisation', 'group', 'member'), name='group_member_once'),
        ),
        migrations.AddIndex(
            model_name='group',
            index=models.Index(fields=['organisation', 'external_id'], name='group_called'),
        ),
        migrations.AddConstraint(
            model_name='group',
            constraint=models.CheckConstraint(condition=models.Q(('profile__in', ['open', 'strict'])), name='group_profile_known'),
        ),
        migrations.AddConstraint(
            model_name='externalidentity',
            constraint=models.UniqueConstraint(fields=('organisation', 'platform', 'identifier', 'group'), name='identity_once', nulls_distinct=False),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['organisation', '-at'], name='audit_recent'),
        ),
        migrations.AddIndex(
            model_name='audienceentry',
            index=models.Index(fields=['organisation', 'kind', 'reader'], name='audience_reader'),
        ),
        migrations.AddConstraint(
            model_name='audienceentry',
            constraint=models.UniqueConstraint(fields=('organisation', 'audience', 'kind', 'reader'), name='audience_reader_once'),
        ),
        migrations.AddConstraint(
            model_name='audience',
            constraint=models.UniqueConstraint(fields=('organisation', 'kind', 'key'), name='audience_once'),
        ),
        migrations.AddConstraint(
            model_name='audience',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['organisation', 'group', 'member', 'robot', 'team', 'persona', 'industry', 'role', 'explicit', 'review'])), name='audience_kind_known'),
        ),
    ]
