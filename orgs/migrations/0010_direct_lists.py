"""An entry of a list may be the robot of a direct conversation."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0006_support'),
    ]

    operations = [
        migrations.AlterField(
            model_name='audienceentry',
            name='kind',
            field=models.CharField(choices=[('member', 'Member'), ('group', 'Group'), ('robot', 'Robot'), ('team', 'Team'), ('direct', 'Direct')], max_length=8),
        ),
    ]
