"""The audit trail refuses changes from every role, its owner as well.

The app, worker and support roles have no such right. The owner has, and row-level security would
make its UPDATE change nothing without a word; this says no. An organisation that is deleted takes
its trail along: that DELETE comes from a foreign key, so from inside a trigger.
"""

from django.db import migrations

SQL = """
CREATE FUNCTION orgs_auditentry_stays() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER orgs_auditentry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON orgs_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION orgs_auditentry_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("orgs", "0004_sign_ins")]

    operations = [
        migrations.RunSQL(
            SQL,
            "DROP TRIGGER orgs_auditentry_stays ON orgs_auditentry; "
            "DROP FUNCTION orgs_auditentry_stays()",
        )
    ]
