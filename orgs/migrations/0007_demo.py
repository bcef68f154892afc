"""Which organisation was made to look around in, so that it, and no other, can be removed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("orgs", "0006_member_wishes")]

    operations = [
        migrations.AddField(
            model_name="organisation",
            name="demo",
            field=models.BooleanField(
                default=False,
                help_text="Made to look around in; an admin may remove it with all its rows.",
            ),
        ),
    ]
