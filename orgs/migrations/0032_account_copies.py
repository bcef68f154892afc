"""Which other servers have a copy of an account."""

from django.db import migrations, models

import orgs.models.base


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0030_organisation_move'),
    ]

    operations = [
        migrations.CreateModel(
            name='AccountCopy',
            fields=[
                ('id', models.UUIDField(default=orgs.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('account', models.UUIDField()),
                ('server', models.CharField(max_length=40)),
                ('due_at', models.DateTimeField(null=True)),
                ('ends_account', models.BooleanField(default=False)),
            ],
            options={
                'verbose_name_plural': 'account copies',
                'indexes': [models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='account_copy_due')],
                'constraints': [models.UniqueConstraint(fields=('account', 'server'), name='account_copy_once')],
            },
        ),
    ]
