"""What support did with an account, and the one function by which it finds one."""

import orgs.models.base
from django.conf import settings
from django.db import migrations, models
from django.db.models import deletion

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0005_audit_filters'),
        ('sessions', '0001_initial'),
        ('mfa', '0003_authenticator_type_uniq'),
        ('socialaccount', '0006_alter_socialaccount_extra_data'),
    ]

    operations = [
        migrations.CreateModel(
            name='SupportAct',
            fields=[
                ('id', models.UUIDField(default=orgs.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('staff', models.UUIDField()),
                ('staff_name', models.CharField(max_length=254)),
                ('kind', models.CharField(choices=[('looked_up', 'Looked Up'), ('signed_out', 'Signed Out'), ('second_step_reset', 'Second Step Reset'), ('changed', 'Changed')], max_length=20)),
                ('reason', models.TextField()),
                ('detail', models.JSONField(default=dict)),
                ('account', models.ForeignKey(db_constraint=False, null=True, on_delete=deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'act of support',
                'verbose_name_plural': 'acts of support',
            },
        ),
        run_sql_file('orgs', 'support_v1'),
    ]
