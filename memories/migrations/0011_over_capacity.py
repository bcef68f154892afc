"""What is too many in a tier is a cause of its own in the review queue, with its numbers."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0010_retention'),
        ('orgs', '0003_functions'),
        ('robots', '0003_functions'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='proposal',
            name='proposal_words_known',
        ),
        migrations.AddField(
            model_name='proposal',
            name='details',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AlterField(
            model_name='proposal',
            name='cause',
            field=models.CharField(choices=[('publish', 'New for everyone'), ('correction', 'Correction'), ('duplicate', 'Possible duplicate'), ('contradiction', 'These disagree'), ('report', 'Report'), ('return', 'Was forgotten'), ('red_line', 'To be protected'), ('over_capacity', 'Too many')], max_length=13),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['publish', 'correction', 'duplicate', 'contradiction', 'report', 'return', 'red_line', 'over_capacity']), ('state__in', ['open', 'approved', 'merged', 'rejected', 'withdrawn'])), name='proposal_words_known'),
        ),
    ]
