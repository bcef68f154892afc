"""For which language the words of an organisation's memories are indexed; existing ones anew."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0018_encoder_choice'),
    ]

    operations = [
        migrations.AddField(
            model_name='organisation',
            name='indexed_language',
            field=models.CharField(db_default='', default='', editable=False, help_text='The language for which the words of all memories are indexed.', max_length=40),
        ),
        migrations.RunSQL(
            'GRANT SELECT (indexed_language) ON orgs_organisation TO commonmind_worker',
            migrations.RunSQL.noop,
        ),
    ]
