"""Erasures with their steps, tombstones, and by which key or import something came."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0020_task'),
        ('orgs', '0004_erased_member'),
        ('robots', '0006_personality'),
    ]

    operations = [
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('what', models.CharField(choices=[('member', 'A member'), ('memory', 'A memory'), ('source', 'A source')], max_length=6)),
                ('source', models.CharField(blank=True, choices=[('robot', 'Robot'), ('key', 'Key'), ('conversation', 'Conversation'), ('import', 'Import'), ('group', 'Group')], default='', max_length=12)),
                ('target', models.UUIDField()),
                ('asked_by', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('backups_until', models.DateField(null=True)),
                ('mentions', models.PositiveIntegerField(default=0)),
                ('incomplete', models.BooleanField(default=False)),
                ('counts', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='ErasureStep',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=20)),
                ('at', models.DateTimeField()),
                ('counts', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='Tombstone',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('memory', 'Memory'), ('message', 'Message'), ('conversation', 'Conversation'), ('job', 'Job'), ('member', 'Member')], max_length=12)),
                ('target', models.UUIDField()),
                ('derived', models.BooleanField(default=False)),
                ('at', models.DateTimeField()),
                ('gone_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='proposal',
            name='proposal_words_known',
        ),
        migrations.AddField(
            model_name='contribution',
            name='import_job',
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='contribution',
            name='key',
            field=orgs.models.base.TenantForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='robots.key'),
        ),
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('change', 'Change'), ('import', 'Import'), ('export', 'Export'), ('consolidate', 'Consolidate'), ('age', 'Age'), ('retain', 'Retain'), ('summarise', 'Summarise'), ('erase', 'Erase')], max_length=11),
        ),
        migrations.AlterField(
            model_name='proposal',
            name='cause',
            field=models.CharField(choices=[('publish', 'New for everyone'), ('correction', 'Correction'), ('duplicate', 'Possible duplicate'), ('contradiction', 'These disagree'), ('report', 'Report'), ('return', 'Was forgotten'), ('red_line', 'To be protected'), ('over_capacity', 'Too many'), ('mention', 'Named somebody erased')], max_length=13),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['publish', 'correction', 'duplicate', 'contradiction', 'report', 'return', 'red_line', 'over_capacity', 'mention']), ('state__in', ['open', 'approved', 'merged', 'rejected', 'withdrawn'])), name='proposal_words_known'),
        ),
        migrations.AddField(
            model_name='erasure',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='erasure',
            name='job',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.job'),
        ),
        migrations.AddField(
            model_name='erasure',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='erasurestep',
            name='erasure',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.erasure'),
        ),
        migrations.AddField(
            model_name='erasurestep',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='tombstone',
            name='erasure',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.erasure'),
        ),
        migrations.AddField(
            model_name='tombstone',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddIndex(
            model_name='erasure',
            index=models.Index(fields=['organisation', 'audience', '-id'], name='erasure_recent'),
        ),
        migrations.AddIndex(
            model_name='erasure',
            index=models.Index(fields=['organisation', 'target'], name='erasure_target'),
        ),
        migrations.AddIndex(
            model_name='erasure',
            index=models.Index(condition=models.Q(('job__isnull', False)), fields=['organisation', 'job'], name='erasure_job'),
        ),
        migrations.AddConstraint(
            model_name='erasure',
            constraint=models.CheckConstraint(condition=models.Q(('what__in', ['member', 'memory', 'source']), ('source__in', ['', 'robot', 'key', 'conversation', 'import', 'group'])), name='erasure_words_known'),
        ),
        migrations.AddConstraint(
            model_name='erasurestep',
            constraint=models.UniqueConstraint(fields=('organisation', 'erasure', 'name'), name='erasure_step_once'),
        ),
        migrations.AddIndex(
            model_name='tombstone',
            index=models.Index(condition=models.Q(('gone_at__isnull', True)), fields=['organisation', 'erasure', 'kind', 'target'], name='tombstone_due'),
        ),
        migrations.AddIndex(
            model_name='tombstone',
            index=models.Index(fields=['organisation', 'erasure'], name='tombstone_erasure'),
        ),
        migrations.AddConstraint(
            model_name='tombstone',
            constraint=models.UniqueConstraint(fields=('organisation', 'target'), name='tombstone_once'),
        ),
        run_sql_file('memories', 'erasure_v1'),
    ]
