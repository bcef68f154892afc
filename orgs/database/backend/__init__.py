"""Django's database backend for PostgreSQL, which spares round trips for savepoints."""
