"""What the gates know, how strict they are, and what they have put aside."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0024_erasure_reach'),
        ('orgs', '0004_erased_member'),
        ('robots', '0006_personality'),
    ]

    operations = [
        migrations.CreateModel(
            name='GatePolicy',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('personal', models.CharField(choices=[('about_somebody', 'about_somebody'), ('always', 'always')], default='about_somebody', max_length=14)),
                ('changed_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name_plural': 'gate policies',
            },
        ),
        migrations.CreateModel(
            name='GazetteerTerm',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('client', 'Client'), ('brand', 'Brand'), ('company', 'Company')], max_length=7)),
                ('term', models.CharField(max_length=200)),
                ('folded', models.CharField(max_length=400)),
                ('added_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='HeldText',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('content', models.TextField()),
                ('findings', models.JSONField(default=list)),
                ('held_at', models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='memory',
            name='memory_words_known',
        ),
        migrations.RemoveConstraint(
            model_name='proposal',
            name='proposal_words_known',
        ),
        migrations.AddField(
            model_name='memory',
            name='held_for',
            field=models.CharField(blank=True, choices=[('personal_data', 'Personal Data'), ('poison', 'Poison')], db_default='', default='', max_length=13),
        ),
        migrations.AlterField(
            model_name='proposal',
            name='cause',
            field=models.CharField(choices=[('publish', 'New for everyone'), ('correction', 'Correction'), ('duplicate', 'Possible duplicate'), ('contradiction', 'These disagree'), ('report', 'Report'), ('return', 'Was forgotten'), ('red_line', 'To be protected'), ('over_capacity', 'Too many'), ('mention', 'Named somebody erased'), ('personal_data', 'Something personal'), ('poison', 'May steer a robot')], max_length=13),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['direct', 'group', 'user', 'interaction', 'organisation', 'internal']), ('type__in', ['conversation', 'fact', 'preference', 'expertise', 'announcement', 'interaction']), ('first_tier__in', ['fast', 'medium', 'slow', 'glacial']), ('status__in', ['active', 'pending_review', 'quarantined', 'archived', 'forgotten']), ('category__in', ['', 'preference', 'fact', 'event', 'decision', 'sentiment', 'reminder', 'relationship', 'org_fact', 'org_policy', 'team_member', 'project_info', 'org_decision']), ('held_for__in', ['', 'personal_data', 'poison'])), name='memory_words_known'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['publish', 'correction', 'duplicate', 'contradiction', 'report', 'return', 'red_line', 'over_capacity', 'mention', 'personal_data', 'poison']), ('state__in', ['open', 'approved', 'merged', 'rejected', 'withdrawn'])), name='proposal_words_known'),
        ),
        migrations.AddField(
            model_name='gatepolicy',
            name='changed_by',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='gatepolicy',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='gazetteerterm',
            name='added_by',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AddField(
            model_name='gazetteerterm',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddField(
            model_name='heldtext',
            name='audience',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience'),
        ),
        migrations.AddField(
            model_name='heldtext',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='heldtext',
            name='organisation',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation'),
        ),
        migrations.AddConstraint(
            model_name='gatepolicy',
            constraint=models.UniqueConstraint(fields=('organisation',), name='gate_policy_once'),
        ),
        migrations.AddConstraint(
            model_name='gatepolicy',
            constraint=models.CheckConstraint(condition=models.Q(('personal__in', ['about_somebody', 'always'])), name='gate_policy_words_known'),
        ),
        migrations.AddConstraint(
            model_name='gazetteerterm',
            constraint=models.UniqueConstraint(fields=('organisation', 'folded'), name='gazetteer_term_once'),
        ),
        migrations.AddConstraint(
            model_name='gazetteerterm',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['client', 'brand', 'company'])), name='gazetteer_term_kind_known'),
        ),
        migrations.AddIndex(
            model_name='heldtext',
            index=models.Index(fields=['organisation', 'audience'], name='held_text_audience'),
        ),
        migrations.AddConstraint(
            model_name='heldtext',
            constraint=models.UniqueConstraint(fields=('organisation', 'memory'), name='held_text_once'),
        ),
        run_sql_file('memories', 'gate_v1'),
    ]
