"""Keys by which a superuser makes and removes organisations."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import deletion

import orgs.models.base
from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0011_contradiction_policy'),
    ]

    operations = [
        migrations.CreateModel(
            name='SuperuserKey',
            fields=[
                ('id', models.UUIDField(default=orgs.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_constraint=False, on_delete=deletion.DO_NOTHING, related_name='superuser_keys', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': "superuser's key",
                'verbose_name_plural': "superusers' keys",
            },
        ),
        run_sql_file('orgs', 'superuser_keys_v1'),
    ]
