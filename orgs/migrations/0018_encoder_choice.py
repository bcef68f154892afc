"""Which embedding models an organisation uses."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0016_quotas'),
    ]

    operations = [
        migrations.AddField('organisation', 'encoder', models.CharField(blank=True, db_default='', default='', editable=False, help_text='The embedding model that serves; empty: the setting ENCODER.', max_length=200)),
        migrations.AddField('organisation', 'second_encoder', models.CharField(blank=True, db_default='', default='', editable=False, max_length=200)),
        migrations.AddField('organisation', 'row_encoder', models.CharField(blank=True, db_default='', default='', editable=False, max_length=200)),
        migrations.AddField('organisation', 'fill_paused', models.BooleanField(db_default=False, default=False, editable=False)),
        migrations.AddConstraint('organisation', models.CheckConstraint(condition=models.Q(models.Q(('row_encoder', ''), ('second_encoder', '')), models.Q(('encoder', ''), _negated=True), _connector='OR'), name='organisation_encoder_chosen')),
        migrations.AddConstraint('organisation', models.CheckConstraint(condition=models.Q(('encoder', ''), models.Q(('second_encoder', models.F('encoder')), _negated=True), _connector='OR'), name='organisation_encoders_differ')),
        run_sql_file('orgs', 'encoder_choice_v1'),
    ]
