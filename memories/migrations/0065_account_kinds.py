"""The kinds of accounts are checked in the rows that were there before as well."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0064_account_subscriptions'),
    ]

    operations = [
        ValidateConstraint(model_name='account', name='account_kind_known'),
    ]
