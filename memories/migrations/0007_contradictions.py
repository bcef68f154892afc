"""Two memories that contradict each other are a cause of their own in the review queue."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0006_use'),
        ('orgs', '0003_functions'),
        ('robots', '0003_functions'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='proposal',
            name='proposal_words_known',
        ),
        migrations.AlterField(
            model_name='proposal',
            name='cause',
            field=models.CharField(choices=[('publish', 'New for everyone'), ('correction', 'Correction'), ('duplicate', 'Possible duplicate'), ('contradiction', 'These disagree'), ('report', 'Report'), ('return', 'Was forgotten'), ('red_line', 'To be protected')], max_length=13),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['publish', 'correction', 'duplicate', 'contradiction', 'report', 'return', 'red_line']), ('state__in', ['open', 'approved', 'merged', 'rejected', 'withdrawn'])), name='proposal_words_known'),
        ),
    ]
