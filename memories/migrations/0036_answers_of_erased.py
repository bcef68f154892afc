"""What a language model answered goes with any of the memories that it was shown."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0035_lesson_days'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='modelanswer',
            index=models.Index(fields=['organisation', 'audience'], name='model_answer_audience'),
        ),
        run_sql_file('memories', 'answers_of_erased_v1'),
    ]
