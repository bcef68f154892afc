"""PostgreSQL and Valkey as `make run` sets them up. Their processes are kept by processes."""
