"""Whether an answer held one, how sure that is, and which hits were folded."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0026_learn_job'),
    ]

    operations = [
        migrations.AddField(
            model_name='recall',
            name='answered',
            field=models.CharField(blank=True, db_default='', default='', max_length=6),
        ),
        migrations.AddField(
            model_name='recall',
            name='confidence',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='recall',
            name='folded',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddConstraint(
            model_name='recall',
            constraint=models.CheckConstraint(condition=models.Q(('answered__in', ('', 'yes', 'unsure', 'no')), models.Q(('confidence', None), ('confidence__range', (0, 1)), _connector='OR')), name='recall_answered_known'),
        ),
    ]
