"""PostgreSQL and Valkey without Docker or apt, and the processes that use them.

Pure Python, no Django: this package starts what Django needs. ``python -m config.embedded``
is its entry point. DATABASE_URL and REDIS_URL replace either service by a real server.
"""
