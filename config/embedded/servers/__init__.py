"""PostgreSQL and Valkey as `make run` sets them up. Child processes in general: processes."""
