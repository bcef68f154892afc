"""Members and groups that an identity provider keeps by SCIM."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0023_news'),
    ]

    operations = [
        migrations.AddField('member', 'provisioned_id', models.CharField(blank=True, db_default='', default='', editable=False, max_length=200)),
        migrations.AddField('member', 'deactivated_at', models.DateTimeField(editable=False, null=True)),
        migrations.AddField('group', 'provisioned_id', models.CharField(blank=True, db_default='', default='', editable=False, max_length=200)),
        migrations.AddField('group', 'provisioned_at', models.DateTimeField(editable=False, null=True)),
    ]
