"""A member has who invited them, so that an open invitation ends with the rights of its sender."""

import django.db.models.deletion
from django.db import migrations

import orgs.models.base
from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0021_suspension'),
    ]

    operations = [
        migrations.AddField('member', 'invited_by', orgs.models.base.TenantForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='orgs.member')),
        run_sql_file('orgs', 'invited_by_v1'),
    ]
