"""Row-level security, roles, and statements in bulk.

The policies themselves stand in migrations.
"""
