"""Row-level security, roles, and statements in bulk.

What a policy protects is said by migrations.
"""
