"""The tables of memories and everything that belongs to them."""

import django.contrib.postgres.fields
import django.contrib.postgres.search
import django.utils.timezone
import pgvector.django.halfvec
import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('orgs', '0001_tables'),
        ('robots', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Observation',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('organisation_id', models.UUIDField()),
                ('memory_id', models.UUIDField()),
                ('audience_id', models.UUIDField()),
                ('relation', models.CharField(max_length=11)),
                ('source', models.UUIDField()),
                ('target', models.UUIDField()),
                ('weight', models.FloatField()),
                ('inferred', models.BooleanField()),
                ('observed_at', models.DateTimeField()),
            ],
            options={
                'db_table': 'memories_observation',
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='Contribution',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('first_at', models.DateTimeField()),
                ('last_at', models.DateTimeField()),
                ('count', models.PositiveIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name='Derivation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('source_kind', models.CharField(max_length=12)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Disclosure',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('staff', models.UUIDField()),
                ('staff_name', models.CharField(max_length=200)),
                ('reason', models.CharField(max_length=300)),
                ('told', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ends_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Edge',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('relation', models.CharField(choices=[('said', 'Said'), ('knows_about', 'Knows About'), ('replied_to', 'Replied To'), ('mentions', 'Mentions'), ('related_to', 'Related To'), ('supports', 'Supports'), ('contradicts', 'Contradicts')], max_length=11)),
                ('source', models.UUIDField()),
                ('target', models.UUIDField()),
                ('weight', models.FloatField()),
                ('inferred', models.BooleanField(default=False)),
                ('observed_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Embedding',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('model', models.PositiveSmallIntegerField()),
                ('own', pgvector.django.halfvec.HalfVectorField(dimensions=384)),
                ('embedding', pgvector.django.halfvec.HalfVectorField(dimensions=384)),
            ],
        ),
        migrations.CreateModel(
            name='Entity',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('node', models.UUIDField()),
                ('type', models.CharField(choices=[('person', 'Person'), ('company', 'Company'), ('project', 'Project'), ('date', 'Date'), ('topic', 'Topic'), ('location', 'Location'), ('action_item', 'Action item'), ('concept', 'Concept')], max_length=11)),
                ('name', models.CharField(max_length=200)),
                ('key', models.CharField(max_length=200)),
                ('source', models.CharField(choices=[('rules', 'Rules'), ('llm', 'Llm'), ('given', 'Given')], max_length=5)),
                ('confidence', models.FloatField(default=1.0)),
                ('extracted_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'entities',
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('change', 'Change'), ('import', 'Import')], max_length=6)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('dead', 'Stopped')], default='waiting', max_length=7)),
                ('parameters', models.JSONField(default=dict)),
                ('done', models.BigIntegerField(default=0)),
                ('total', models.BigIntegerField(default=0)),
                ('problems', models.JSONField(default=list)),
                ('result', models.JSONField(default=dict)),
                ('reason', models.TextField(blank=True, default='')),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('leased_until', models.DateTimeField(null=True)),
                ('place', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField()),
                ('queued_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Memory',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('active', 'Active'), ('pending_review', 'Pending Review'), ('quarantined', 'Quarantined'), ('archived', 'Archived'), ('forgotten', 'Forgotten')], default='active', max_length=14)),
                ('kind', models.CharField(choices=[('direct', 'Direct'), ('group', 'Group'), ('user', 'User'), ('interaction', 'Interaction'), ('organisation', 'Organisation'), ('internal', 'Internal')], max_length=12)),
                ('type', models.CharField(choices=[('conversation', 'Conversation'), ('fact', 'Fact'), ('preference', 'Preference'), ('expertise', 'Expertise'), ('announcement', 'Announcement'), ('interaction', 'Interaction')], default='fact', max_length=12)),
                ('category', models.CharField(blank=True, choices=[('preference', 'Preference'), ('fact', 'Fact'), ('event', 'Event'), ('decision', 'Decision'), ('sentiment', 'Sentiment'), ('reminder', 'Reminder'), ('relationship', 'Relationship'), ('org_fact', 'Org Fact'), ('org_policy', 'Org Policy'), ('team_member', 'Team Member'), ('project_info', 'Project Info'), ('org_decision', 'Org Decision')], default='', max_length=12)),
                ('tier', models.CharField(choices=[('fast', 'Fast'), ('medium', 'Medium'), ('slow', 'Slow'), ('glacial', 'Glacial')], default='slow', max_length=7)),
                ('content', models.TextField()),
                ('content_hash', models.BinaryField(max_length=32)),
                ('key', models.CharField(blank=True, max_length=300, null=True)),
                ('topic', models.CharField(blank=True, default='', max_length=300)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), blank=True, default=list, size=None)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('source', models.JSONField(blank=True, default=dict)),
                ('speaker', models.CharField(blank=True, default='', max_length=300)),
                ('listeners', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ('conversation', models.CharField(blank=True, max_length=300, null=True)),
                ('position', models.BigIntegerField()),
                ('deposited_by', models.UUIDField(blank=True, null=True)),
                ('importance', models.FloatField(default=0.5)),
                ('confidence', models.FloatField(default=1.0)),
                ('sensitive', models.BooleanField(default=False)),
                ('shareable', models.BooleanField(default=False)),
                ('red_line', models.BooleanField(default=False)),
                ('red_line_reason', models.TextField(blank=True, default='')),
                ('red_line_at', models.DateTimeField(blank=True, null=True)),
                ('access_count', models.PositiveIntegerField(default=0)),
                ('last_accessed_at', models.DateTimeField(blank=True, null=True)),
                ('remember_count', models.PositiveIntegerField(default=1)),
                ('occurred_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('archived_at', models.DateTimeField(blank=True, null=True)),
                ('forgotten_at', models.DateTimeField(blank=True, null=True)),
                ('forgotten_by_subject', models.BooleanField(default=False)),
                ('version', models.PositiveIntegerField(default=1)),
            ],
            options={
                'verbose_name_plural': 'memories',
            },
        ),
        migrations.CreateModel(
            name='Pending',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('dead', 'Dead')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('reason', models.TextField(blank=True, default='')),
                ('leased_until', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'pending embedding',
            },
        ),
        migrations.CreateModel(
            name='PendingRestatement',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('dead', 'Dead')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('reason', models.TextField(blank=True, default='')),
                ('leased_until', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Proposal',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('cause', models.CharField(choices=[('publish', 'New for everyone'), ('correction', 'Correction'), ('duplicate', 'Possible duplicate'), ('report', 'Report'), ('return', 'Was forgotten'), ('red_line', 'To be protected')], max_length=10)),
                ('state', models.CharField(choices=[('open', 'Waiting'), ('approved', 'Approved'), ('merged', 'Merged'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')], default='open', max_length=9)),
                ('content', models.TextField(blank=True, default='')),
                ('seen_version', models.PositiveIntegerField(null=True)),
                ('reason', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField()),
                ('locked_until', models.DateTimeField(null=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision', models.TextField(blank=True, default='')),
                ('outcome', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='Recall',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('strategy', models.CharField(max_length=20)),
                ('hits', models.JSONField(default=list)),
                ('took_ms', models.FloatField()),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Restatement',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('text', models.TextField(blank=True, default='')),
                ('keywords', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), default=list, size=None)),
                ('persons', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=300), default=list, size=None)),
                ('location', models.CharField(blank=True, default='', max_length=200)),
                ('entities', models.JSONField(default=list)),
                ('topic', models.CharField(blank=True, default='', max_length=300)),
                ('source', models.CharField(choices=[('rules', 'Rules'), ('llm', 'Llm')], default='rules', max_length=5)),
                ('lent', models.BooleanField(default=False)),
                ('shown', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('made_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60)),
                ('query', models.CharField(blank=True, default='', max_length=2000)),
            ],
        ),
        migrations.CreateModel(
            name='Text',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('own', django.contrib.postgres.search.SearchVectorField()),
                ('lexemes', django.contrib.postgres.search.SearchVectorField()),
                ('length', models.PositiveIntegerField()),
                ('speaker_key', models.CharField(blank=True, default='', max_length=300)),
                ('asks', models.BooleanField(default=False)),
                ('timed', models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name='Version',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('number', models.PositiveIntegerField()),
                ('content', models.TextField()),
                ('category', models.CharField(blank=True, default='', max_length=12)),
                ('importance', models.FloatField()),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), default=list, size=None)),
                ('metadata', models.JSONField(default=dict)),
                ('expires_at', models.DateTimeField(null=True)),
                ('written_at', models.DateTimeField()),
                ('replaced_at', models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name='contribution',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='contribution',
            name='member',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='contribution',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='contribution',
            name='robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='derivation',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='derivation',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='derivation',
            name='source_audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='disclosure',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='edge',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='edge',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='embedding',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='embedding',
            name='group',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group'),
        ),
        migrations.AddField(
            model_name='embedding',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='entity',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='entity',
            name='member',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='entity',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='job',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='job',
            name='member',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='job',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='memory',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='memory',
            name='author',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='memory',
            name='editor',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='memory',
            name='editor_robot',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='memory',
            name='group',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group'),
        ),
        migrations.AddField(
            model_name='memory',
            name='member',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='memory',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='memory',
            name='proposed_audience',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='memory',
            name='red_line_by',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='memory',
            name='reworded_by',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='memory',
            name='reworded_by_robot',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='memory',
            name='robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='memory',
            name='speaker_member',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='entity',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='embedding',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='edge',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='edge',
            name='other',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='disclosure',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='derivation',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='derivation',
            name='source',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='contribution',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='pending',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='pending',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='pending',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='pendingrestatement',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='pendingrestatement',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='pendingrestatement',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='assignee',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='decided_by',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='locked_by',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='other',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='proposed_by',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='target_audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='recall',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='recall',
            name='group',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group'),
        ),
        migrations.AddField(
            model_name='recall',
            name='member',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='recall',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='recall',
            name='robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='restatement',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='restatement',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='restatement',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='savedview',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='savedview',
            name='member',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='savedview',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='text',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='text',
            name='group',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group'),
        ),
        migrations.AddField(
            model_name='text',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='text',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='version',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='version',
            name='audience_then',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='version',
            name='editor',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='version',
            name='editor_robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='version',
            name='group_then',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.group'),
        ),
        migrations.AddField(
            model_name='version',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='version',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['organisation', 'state', 'queued_at'], name='job_turns'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['organisation', 'audience', '-id'], include=('status', 'kind', 'type', 'category', 'tier', 'robot', 'group', 'member', 'author', 'speaker_member', 'expires_at', 'occurred_at', 'created_at'), name='memory_listed'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('shareable', True)), fields=['organisation', 'id'], name='memory_shareable'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('conversation__isnull', False)), fields=['organisation', 'conversation', 'position', 'id'], name='memory_turn_order'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(condition=models.Q(('key__isnull', False)), fields=('organisation', 'audience', 'key', 'deposited_by'), name='memory_key_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(fields=('organisation', 'audience', 'content_hash', 'key', 'conversation', 'occurred_at', 'deposited_by'), name='memory_content_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(fields=('organisation', 'id', 'audience', 'kind'), name='memory_narrow_key'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('group__isnull', False), ('kind', 'group'), ('member__isnull', True)), models.Q(('group__isnull', False), ('kind__in', ('user', 'interaction')), ('member__isnull', False)), models.Q(('group__isnull', True), ('kind', 'direct')), ('kind__in', ('organisation', 'internal')), _connector='OR'), name='memory_kind_fits'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['direct', 'group', 'user', 'interaction', 'organisation', 'internal']), ('type__in', ['conversation', 'fact', 'preference', 'expertise', 'announcement', 'interaction']), ('tier__in', ['fast', 'medium', 'slow', 'glacial']), ('status__in', ['active', 'pending_review', 'quarantined', 'archived', 'forgotten']), ('category__in', ['', 'preference', 'fact', 'event', 'decision', 'sentiment', 'reminder', 'relationship', 'org_fact', 'org_policy', 'team_member', 'project_info', 'org_decision'])), name='memory_words_known'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__range', (0, 1)), ('importance__range', (0, 1))), name='memory_weights_in_range'),
        ),
        migrations.AddIndex(
            model_name='entity',
            index=models.Index(fields=['organisation', 'node', 'audience', 'memory'], name='entity_of'),
        ),
        migrations.AddIndex(
            model_name='entity',
            index=models.Index(fields=['organisation', 'audience', '-id'], name='entity_recent'),
        ),
        migrations.AddConstraint(
            model_name='entity',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory', 'node'), name='entity_once'),
        ),
        migrations.AddConstraint(
            model_name='entity',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ['person', 'company', 'project', 'date', 'topic', 'location', 'action_item', 'concept']), ('source__in', ['rules', 'llm', 'given']), ('confidence__range', (0, 1))), name='entity_words_known'),
        ),
        migrations.AddIndex(
            model_name='embedding',
            index=models.Index(fields=['organisation', 'audience', 'model'], include=('memory', 'kind', 'group', 'embedding'), name='embedding_scan'),
        ),
        migrations.AddConstraint(
            model_name='embedding',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory', 'model'), name='embedding_once'),
        ),
        migrations.AddIndex(
            model_name='edge',
            index=models.Index(fields=['organisation', 'target', 'audience', 'memory'], name='edge_into'),
        ),
        migrations.AddIndex(
            model_name='edge',
            index=models.Index(fields=['organisation', 'source', 'audience', 'memory'], name='edge_from'),
        ),
        migrations.AddIndex(
            model_name='edge',
            index=models.Index(condition=models.Q(('other__isnull', False)), fields=['organisation', 'other'], name='edge_other'),
        ),
        migrations.AddConstraint(
            model_name='edge',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory', 'relation', 'source', 'target'), name='edge_once'),
        ),
        migrations.AddConstraint(
            model_name='edge',
            constraint=models.CheckConstraint(condition=models.Q(('relation__in', ['said', 'knows_about', 'replied_to', 'mentions', 'related_to', 'supports', 'contradicts']), ('weight__gte', 0), models.Q(('source', models.F('target')), _negated=True)), name='edge_fits'),
        ),
        migrations.AddIndex(
            model_name='disclosure',
            index=models.Index(fields=['organisation', 'staff', 'memory'], name='disclosure_open'),
        ),
        migrations.AddIndex(
            model_name='derivation',
            index=models.Index(fields=['organisation', 'source'], name='derivation_source'),
        ),
        migrations.AddConstraint(
            model_name='derivation',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory', 'source'), name='derivation_once'),
        ),
        migrations.AddIndex(
            model_name='contribution',
            index=models.Index(fields=['organisation', 'audience', 'robot'], name='contribution_robot'),
        ),
        migrations.AddConstraint(
            model_name='contribution',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory', 'robot', 'member'), name='contribution_once', nulls_distinct=False),
        ),
        migrations.AddIndex(
            model_name='pending',
            index=models.Index(fields=['organisation', 'state', 'created_at'], name='pending_queue'),
        ),
        migrations.AddConstraint(
            model_name='pending',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory'), name='pending_once'),
        ),
        migrations.AddIndex(
            model_name='pendingrestatement',
            index=models.Index(fields=['organisation', 'state', 'created_at'], name='pending_restatement_queue'),
        ),
        migrations.AddConstraint(
            model_name='pendingrestatement',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory'), name='pending_restatement_once'),
        ),
        migrations.AddIndex(
            model_name='proposal',
            index=models.Index(fields=['organisation', 'state', 'id'], name='proposal_queue'),
        ),
        migrations.AddIndex(
            model_name='proposal',
            index=models.Index(fields=['organisation', 'memory'], name='proposal_memory'),
        ),
        migrations.AddIndex(
            model_name='proposal',
            index=models.Index(condition=models.Q(('other__isnull', False)), fields=['organisation', 'other'], name='proposal_other'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('organisation', 'memory', 'cause', 'proposed_by', 'robot', 'other'), name='proposal_open_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['publish', 'correction', 'duplicate', 'report', 'return', 'red_line']), ('state__in', ['open', 'approved', 'merged', 'rejected', 'withdrawn'])), name='proposal_words_known'),
        ),
        migrations.AddIndex(
            model_name='recall',
            index=models.Index(fields=['organisation', '-created_at'], name='recall_recent'),
        ),
        migrations.AddIndex(
            model_name='restatement',
            index=models.Index(condition=models.Q(('source', 'llm')), fields=['organisation', 'audience'], name='restatement_by_llm'),
        ),
        migrations.AddConstraint(
            model_name='restatement',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory'), name='restatement_once'),
        ),
        migrations.AddConstraint(
            model_name='restatement',
            constraint=models.CheckConstraint(condition=models.Q(('source__in', ['rules', 'llm'])), name='restatement_source_known'),
        ),
        migrations.AddConstraint(
            model_name='savedview',
            constraint=models.UniqueConstraint(fields=('organisation', 'member', 'name'), name='saved_view_once'),
        ),
        migrations.AddIndex(
            model_name='text',
            index=models.Index(fields=['organisation', 'audience', 'speaker_key'], name='text_audience'),
        ),
        migrations.AddIndex(
            model_name='text',
            index=models.Index(condition=models.Q(('speaker_key', ''), _negated=True), fields=['organisation', 'speaker_key', 'audience'], name='text_speaker'),
        ),
        migrations.AddConstraint(
            model_name='text',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory'), name='text_once'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory', 'number'), name='version_once'),
        ),
    ]
