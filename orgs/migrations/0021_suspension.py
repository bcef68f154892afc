"""An organisation may be suspended: nobody reads or writes in it until whoever runs the server ends
that."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0020_has_parts'),
    ]

    operations = [
        migrations.AddField('organisation', 'suspended_at', models.DateTimeField(editable=False, null=True)),
        migrations.AddField('organisation', 'suspended_for', models.CharField(db_default='', default='', editable=False, max_length=200)),
    ]
