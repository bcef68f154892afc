"""Jobs of the organisation beside those of members: cancelled, resumed, once a period."""

import django.db.models.deletion
import orgs.models.base
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0008_ageing_policy'),
        ('orgs', '0003_functions'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='cancel_asked_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='job',
            name='period',
            field=models.CharField(max_length=16, null=True),
        ),
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('change', 'Change'), ('import', 'Import'), ('consolidate', 'Consolidate'), ('age', 'Age'), ('retain', 'Retain'), ('summarise', 'Summarise')], max_length=11),
        ),
        migrations.AlterField(
            model_name='job',
            name='member',
            field=orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member'),
        ),
        migrations.AlterField(
            model_name='job',
            name='state',
            field=models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('dead', 'Stopped'), ('cancelled', 'Cancelled')], default='waiting', max_length=9),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.UniqueConstraint(condition=models.Q(('period__isnull', False)), fields=('organisation', 'kind', 'period'), name='job_once_a_period'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.CheckConstraint(condition=models.Q(('period', None), ('member', None), _connector='OR'), name='job_period_is_the_organisations'),
        ),
    ]
