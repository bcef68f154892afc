"""The audit trail is filtered by who did it, by what was done and to what, and goes on by id."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0004_erased_member'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(condition=models.Q(('member__isnull', False)), fields=['organisation', 'member', 'id'], name='audit_by_member'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(condition=models.Q(('robot__isnull', False)), fields=['organisation', 'robot', 'id'], name='audit_by_robot'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(condition=models.Q(('target__isnull', False)), fields=['organisation', 'target', 'id'], name='audit_by_target'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['organisation', 'action', 'id'], name='audit_by_action', opclasses=['uuid_ops', 'varchar_pattern_ops', 'uuid_ops']),
        ),
    ]
