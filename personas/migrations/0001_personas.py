"""Personas, who has them, and their blocks; every organisation has the shipped ones."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file
from personas.migrations._shipped import add_shipped


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('memories', '0024_erasure_reach'),
        ('orgs', '0004_erased_member'),
        ('robots', '0007_personal_robot'),
    ]

    operations = [
        migrations.CreateModel(
            name='Persona',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('handle', models.CharField(max_length=60)),
                ('industry_key', models.CharField(max_length=60)),
                ('role_key', models.CharField(max_length=60)),
                ('industry', models.CharField(max_length=100)),
                ('role', models.CharField(max_length=100)),
                ('description', models.TextField(blank=True, default='')),
                ('kpis', models.JSONField(blank=True, default=list)),
                ('motivations', models.JSONField(blank=True, default=list)),
                ('queries', models.JSONField(blank=True, default=list)),
                ('created_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('layer', models.CharField(choices=[('agent_persona', 'Agent'), ('human', 'Human'), ('user_persona_profile', 'Profile'), ('service_experience', 'Shared')], max_length=20)),
                ('own_text', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField()),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('persona', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='blocks', to='personas.persona')),
            ],
        ),
        migrations.CreateModel(
            name='Association',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('confidence', models.FloatField(default=1.0)),
                ('discovered_at', models.DateTimeField()),
                ('last_confirmed_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('told_at', models.DateTimeField(null=True)),
                ('confirmed_by', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('proposed_by', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
                ('persona', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='associations', to='personas.persona')),
            ],
        ),
        migrations.CreateModel(
            name='Suggestion',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('state', models.CharField(choices=[('open', 'Waiting'), ('accepted', 'Accepted'), ('rejected', 'Rejected')], default='open', max_length=8)),
                ('suggested_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('decided_by', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('made', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('memory', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('persona', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='personas.persona')),
            ],
        ),
        migrations.CreateModel(
            name='BlockLine',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('position', models.PositiveIntegerField()),
                ('audience', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('block', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='lines', to='personas.block')),
                ('memory', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation', 'block', 'memory'), name='block_line_once')],
            },
        ),
        migrations.CreateModel(
            name='BlockRobot',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('attached_at', models.DateTimeField()),
                ('block', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='robots', to='personas.block')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation', 'block', 'robot'), name='block_robot_once')],
            },
        ),
        migrations.CreateModel(
            name='BlockVersion',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('lines', models.JSONField(default=list)),
                ('own_text', models.TextField(blank=True, default='')),
                ('characters', models.PositiveIntegerField()),
                ('made_at', models.DateTimeField()),
                ('block', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='versions', to='personas.block')),
                ('member', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('robot', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation', 'block', 'number'), name='block_version_once')],
            },
        ),
        migrations.AddIndex(
            model_name='persona',
            index=models.Index(fields=['organisation', 'role_key'], name='persona_role'),
        ),
        migrations.AddConstraint(
            model_name='persona',
            constraint=models.UniqueConstraint(fields=('organisation', 'handle'), name='persona_handle_once'),
        ),
        migrations.AddConstraint(
            model_name='persona',
            constraint=models.CheckConstraint(condition=models.Q(('handle__regex', '^[a-z0-9]+(_[a-z0-9]+)+$')), name='persona_handle_formed'),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.UniqueConstraint(fields=('organisation', 'layer', 'member', 'persona'), name='block_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('layer', 'agent_persona'), ('member', None), ('persona', None)), models.Q(('layer__in', ('human', 'user_persona_profile')), ('member__isnull', False), ('persona', None)), models.Q(('layer', 'service_experience'), ('member', None), ('persona__isnull', False)), _connector='OR'), name='block_of_one'),
        ),
        migrations.AddConstraint(
            model_name='association',
            constraint=models.UniqueConstraint(fields=('organisation', 'member', 'persona'), name='association_once'),
        ),
        migrations.AddConstraint(
            model_name='association',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__gte', 0), ('confidence__lte', 1)), name='association_confidence'),
        ),
        migrations.AddIndex(
            model_name='suggestion',
            index=models.Index(fields=['organisation', 'persona', 'state'], name='suggestion_waiting'),
        ),
        migrations.AddConstraint(
            model_name='suggestion',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory', 'persona'), name='suggestion_once'),
        ),
        migrations.AddConstraint(
            model_name='suggestion',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['open', 'accepted', 'rejected'])), name='suggestion_state_known'),
        ),
        migrations.RunPython(add_shipped, migrations.RunPython.noop),
        run_sql_file('personas', 'personas_v1'),
    ]
