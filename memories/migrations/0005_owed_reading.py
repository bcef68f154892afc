"""What a memory is owed beside its vector: being read."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0004_search_row'),
        ('orgs', '0003_functions'),
    ]

    operations = [
        migrations.AddField(
            model_name='pending',
            name='reading',
            field=models.CharField(blank=True, choices=[('', 'Done'), ('fresh', 'Fresh'), ('again', 'Again')], db_default='', default='', max_length=5),
        ),
        migrations.AddIndex(
            model_name='pending',
            index=models.Index(condition=models.Q(('reading', ''), _negated=True), fields=['organisation', 'created_at'], name='pending_unread'),
        ),
    ]
