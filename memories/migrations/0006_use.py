"""How memories are used moves into a slim table; what moved and what was reported get theirs."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0005_owed_reading'),
        ('orgs', '0003_functions'),
        ('robots', '0003_functions'),
    ]

    operations = [
        migrations.CreateModel(
            name='AgeingRun',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('tier', models.CharField(max_length=7)),
                ('period', models.CharField(max_length=16)),
                ('started_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organisation', 'tier'), name='ageing_run_once')],
            },
        ),
        migrations.CreateModel(
            name='Feedback',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('usefulness', models.FloatField()),
                ('outcome', models.CharField(blank=True, default='', max_length=7)),
                ('predicted', models.FloatField()),
                ('surprise', models.FloatField()),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Transition',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=12)),
                ('from_tier', models.CharField(choices=[('fast', 'Fast'), ('medium', 'Medium'), ('slow', 'Slow'), ('glacial', 'Glacial')], max_length=7)),
                ('to_tier', models.CharField(choices=[('fast', 'Fast'), ('medium', 'Medium'), ('slow', 'Slow'), ('glacial', 'Glacial')], max_length=7)),
                ('reason', models.CharField(max_length=9)),
                ('surprise', models.FloatField()),
                ('moved_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Use',
            fields=[
                ('kind', models.CharField(max_length=12)),
                ('memory', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='use', serialize=False, to='memories.memory')),
                ('tier', models.CharField(choices=[('fast', 'Fast'), ('medium', 'Medium'), ('slow', 'Slow'), ('glacial', 'Glacial')], max_length=7)),
                ('tier_since', models.DateTimeField(null=True)),
                ('access_count', models.PositiveIntegerField(db_default=0, default=0)),
                ('last_accessed_at', models.DateTimeField(null=True)),
                ('since_accesses', models.PositiveIntegerField(db_default=0, default=0)),
                ('since_successes', models.PositiveIntegerField(db_default=0, default=0)),
                ('since_feedback', models.PositiveIntegerField(db_default=0, default=0)),
                ('updates', models.PositiveIntegerField(db_default=0, default=0)),
                ('successes', models.PositiveIntegerField(db_default=0, default=0)),
                ('failures', models.PositiveIntegerField(db_default=0, default=0)),
                ('surprise', models.FloatField(db_default=0.0, default=0.0)),
            ],
        ),
        migrations.AddField(
            model_name='feedback',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='feedback',
            name='member',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='feedback',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='feedback',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='feedback',
            name='recall',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.recall'),
        ),
        migrations.AddField(
            model_name='feedback',
            name='robot',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.robot'),
        ),
        migrations.AddField(
            model_name='transition',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='transition',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='transition',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='use',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='use',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddIndex(
            model_name='feedback',
            index=models.Index(fields=['organisation', 'memory'], name='feedback_memory'),
        ),
        migrations.AddConstraint(
            model_name='feedback',
            constraint=models.UniqueConstraint(fields=('organisation', 'recall', 'memory'), name='feedback_once'),
        ),
        migrations.AddConstraint(
            model_name='feedback',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ('', 'success', 'failure')), ('surprise__range', (0, 1)), ('usefulness__range', (0, 1))), name='feedback_in_range'),
        ),
        migrations.AddIndex(
            model_name='transition',
            index=models.Index(fields=['organisation', '-moved_at'], name='transition_recent'),
        ),
        migrations.AddIndex(
            model_name='transition',
            index=models.Index(fields=['organisation', 'memory'], name='transition_memory'),
        ),
        migrations.AddIndex(
            model_name='use',
            index=models.Index(fields=['organisation', 'tier'], name='use_tier'),
        ),
        migrations.AddConstraint(
            model_name='use',
            constraint=models.CheckConstraint(condition=models.Q(('surprise__range', (0, 1)), ('tier__in', ['fast', 'medium', 'slow', 'glacial'])), name='use_in_range'),
        ),
        # The database renames the column in its index and its check by itself.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='memory',
                    name='memory_words_known',
                ),
                migrations.RemoveIndex(
                    model_name='memory',
                    name='memory_listed',
                ),
            ],
        ),
        migrations.RenameField(
            model_name='memory',
            old_name='tier',
            new_name='first_tier',
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddIndex(
                    model_name='memory',
                    index=models.Index(fields=['organisation', 'audience', '-id'], include=('status', 'kind', 'type', 'category', 'first_tier', 'robot', 'group', 'member', 'author', 'speaker_member', 'expires_at', 'occurred_at', 'created_at'), name='memory_listed'),
                ),
                migrations.AddConstraint(
                    model_name='memory',
                    constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['direct', 'group', 'user', 'interaction', 'organisation', 'internal']), ('type__in', ['conversation', 'fact', 'preference', 'expertise', 'announcement', 'interaction']), ('first_tier__in', ['fast', 'medium', 'slow', 'glacial']), ('status__in', ['active', 'pending_review', 'quarantined', 'archived', 'forgotten']), ('category__in', ['', 'preference', 'fact', 'event', 'decision', 'sentiment', 'reminder', 'relationship', 'org_fact', 'org_policy', 'team_member', 'project_info', 'org_decision'])), name='memory_words_known'),
                ),
            ],
        ),
        run_sql_file('memories', 'use_v1'),
        migrations.RemoveField(
            model_name='memory',
            name='access_count',
        ),
        migrations.RemoveField(
            model_name='memory',
            name='last_accessed_at',
        ),
    ]
