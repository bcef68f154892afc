"""The texts of sensitive memories, and of their versions, as ciphertext."""

import memories.store.models.sealed
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0022_decisions'),
        ('orgs', '0003_functions'),
        ('robots', '0006_personality'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='sealed',
            field=memories.store.models.sealed.SealedField(null=True),
        ),
        migrations.AddField(
            model_name='version',
            name='sealed',
            field=memories.store.models.sealed.SealedField(null=True),
        ),
        migrations.AlterField(
            model_name='memory',
            name='content',
            field=memories.store.models.sealed.SealedTextField(),
        ),
        migrations.AlterField(
            model_name='memory',
            name='content_hash',
            field=memories.store.models.sealed.ContentHashField(max_length=32),
        ),
        migrations.AlterField(
            model_name='version',
            name='content',
            field=memories.store.models.sealed.SealedTextField(),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('sensitive', True)), fields=['organisation', 'id'], name='memory_sensitive'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('sealed', None), models.Q(('content', ''), ('sensitive', True)), _connector='OR'), name='memory_sealed_alone'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.CheckConstraint(condition=models.Q(('sealed', None), ('content', ''), _connector='OR'), name='version_sealed_alone'),
        ),
        run_sql_file('memories', 'memory_history_v2'),
        run_sql_file('memories', 'memory_number_v2'),
        run_sql_file('memories', 'sensitive_v1'),
    ]
