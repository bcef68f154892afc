"""What a member has seen of their news, and whether they want them by mail."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0022_invited_by'),
    ]

    operations = [
        migrations.AddField('member', name, models.DateTimeField(blank=True, null=True))
        for name in ('news_seen_at', 'news_mail_since', 'news_mailed_at')
    ]
