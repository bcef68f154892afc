"""Who knows what: what memories name, what connects them, and one view over both as edges."""

import django.db.models.deletion
import orgs.models.base
import uuid_utils.compat
from django.db import migrations, models

from orgs.database.protect import APP, WORKER, Protect

# The parts' places hang on the memory by one composite key, which the memory's own keys complete:
# half the checks a row, where there are many rows a memory.
FOLLOWS = "".join(
    f"""
    ALTER TABLE {table} ADD CONSTRAINT {table}_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE;
    """
    for table in ("memories_entity", "memories_edge")
)
# Read under the policies of the two tables, for whoever asks.
VIEW = f"""
CREATE VIEW memories_observation WITH (security_invoker = true) AS
SELECT id, organisation_id, memory_id, audience_id, relation, source, target, weight, inferred,
       observed_at
FROM memories_edge
UNION ALL
SELECT id, organisation_id, memory_id, audience_id, 'mentions'::varchar(11), memory_id, node,
       1.0::double precision, false, extracted_at
FROM memories_entity;
GRANT SELECT ON memories_observation TO {APP}, {WORKER};
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0017_protect_restatements'),
        ('orgs', '0009_projections'),
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
                ('audience', orgs.models.base.TenantKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('memory', orgs.models.base.TenantKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
                ('other', orgs.models.base.TenantKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
            ],
            options={
                'indexes': [models.Index(fields=['organisation', 'target', 'memory'], name='edge_target'), models.Index(fields=['organisation', 'source', 'memory'], name='edge_source'), models.Index(condition=models.Q(('other__isnull', False)), fields=['organisation', 'other'], name='edge_other')],
                'constraints': [models.UniqueConstraint(fields=('organisation', 'memory', 'relation', 'source', 'target'), name='edge_once'), models.CheckConstraint(condition=models.Q(('relation__in', ['said', 'knows_about', 'replied_to', 'mentions', 'related_to', 'supports', 'contradicts']), ('weight__gte', 0), models.Q(('source', models.F('target')), _negated=True)), name='edge_fits')],
            },
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
                ('audience', orgs.models.base.TenantKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.audience')),
                ('member', orgs.models.base.TenantKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
                ('memory', orgs.models.base.TenantKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.organisation')),
            ],
            options={
                'verbose_name_plural': 'entities',
                'indexes': [models.Index(fields=['organisation', 'node', 'memory'], name='entity_node'), models.Index(fields=['organisation', 'audience', '-id'], name='entity_recent')],
                'constraints': [models.UniqueConstraint(fields=('organisation', 'memory', 'node'), name='entity_once'), models.CheckConstraint(condition=models.Q(('type__in', ['person', 'company', 'project', 'date', 'topic', 'location', 'action_item', 'concept']), ('source__in', ['rules', 'llm', 'given']), ('confidence__range', (0, 1))), name='entity_words_known')],
            },
        ),
        Protect(
            "memories_entity",
            by="audience",
            references={"member_id": ("orgs_member", "SET NULL")},
            worker=True,
            support=("id", "organisation_id", "memory_id", "type", "source", "confidence", "extracted_at"),
        ),
        Protect(
            "memories_edge",
            by="audience",
            references={"other_id": ("memories_memory", "CASCADE")},
            worker=True,
            support=("id", "organisation_id", "memory_id", "relation", "weight", "inferred", "observed_at"),
        ),
        migrations.RunSQL(FOLLOWS, migrations.RunSQL.noop),
        migrations.RunSQL(VIEW, "DROP VIEW memories_observation"),
    ]
