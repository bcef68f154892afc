"""Which of two facts of a group that disagree holds without anybody deciding it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0010_direct_lists'),
    ]

    operations = [
        migrations.AddField(
            model_name='group',
            name='contradiction_policy',
            field=models.CharField(choices=[('ask', 'Ask'), ('newest_of_own_facts', 'Own Facts'), ('newest_of_same_speaker', 'Same Speaker')], db_default='newest_of_own_facts', default='newest_of_own_facts', max_length=22),
        ),
        migrations.AddConstraint(
            model_name='group',
            constraint=models.CheckConstraint(condition=models.Q(('contradiction_policy__in', ['ask', 'newest_of_own_facts', 'newest_of_same_speaker'])), name='group_contradiction_policy_known'),
        ),
    ]
