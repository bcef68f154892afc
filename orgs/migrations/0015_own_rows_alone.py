"""The application writes no table that belongs to the owner: migrations, permissions, models."""

from django.db import migrations

REVOKE = """
REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER
ON django_migrations, django_content_type, auth_permission FROM commonmind_app;
REVOKE ALL ON SEQUENCE django_migrations_id_seq FROM commonmind_app;
"""
GRANT = """
GRANT INSERT, UPDATE, DELETE
ON django_migrations, django_content_type, auth_permission TO commonmind_app;
GRANT USAGE ON SEQUENCE django_migrations_id_seq TO commonmind_app;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("orgs", "0013_names_of_groups"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunSQL(REVOKE, GRANT)]
