"""Events and mails of a member become private memories of theirs."""

import django.db.models.deletion
import orgs.models.base
from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0041_stated_relation'),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('change', 'Change'), ('import', 'Import'), ('export', 'Export'), ('consolidate', 'Consolidate'), ('age', 'Age'), ('retain', 'Retain'), ('summarise', 'Summarise'), ('erase', 'Erase'), ('learn', 'Learn'), ('accounts', 'Remember accounts')], max_length=11),
        ),
        migrations.AddField(
            model_name='accountentry',
            name='memory',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='accountentry',
            name='noted_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='accountentry',
            index=models.Index(condition=models.Q(('noted_at', None)), fields=['organisation', 'account', '-at'], name='account_entry_waits'),
        ),
        run_sql_file('memories', 'account_memories_v1'),
    ]
