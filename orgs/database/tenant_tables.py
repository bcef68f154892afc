"""Which tables hold rows of organisations, by PostgreSQL's own catalogue: no list is kept."""

# Of a table `c` of pg_class. Beside them there is the organisation's own.
HAS_ORGANISATION_SQL = """EXISTS (
    SELECT 1 FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname = 'organisation_id' AND NOT a.attisdropped)"""
ORGANISATION_TABLE = "orgs_organisation"
