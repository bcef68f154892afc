"""Which tables hold rows of organisations, by PostgreSQL's own catalogue: no list is kept."""

# Of a table `c` of pg_class. Beside them there is the organisation's own.
HAS_ORGANISATION_SQL = """EXISTS (
    SELECT 1 FROM pg_attribute own
    WHERE own.attrelid = c.oid AND own.attname = 'organisation_id' AND NOT own.attisdropped)"""
ORGANISATION_TABLE = "orgs_organisation"
