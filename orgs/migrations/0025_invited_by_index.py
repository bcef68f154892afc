"""Whom a member invited is found by an index, when the member is an admin no more."""

from django.db import migrations, models

from orgs.database.online_index import AddIndexOnline


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('orgs', '0024_provisioning'),
    ]

    operations = [
        AddIndexOnline('member', models.Index(condition=models.Q(('invited_by__isnull', False)), fields=['organisation', 'invited_by'], name='member_invited_by')),
    ]
