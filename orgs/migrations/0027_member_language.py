"""The language in which a member reads the pages; empty where the browser decides."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0025_invited_by_index'),
    ]

    operations = [
        migrations.AddField('member', 'language', models.CharField(blank=True, db_default='', default='', editable=False, max_length=16)),
    ]
