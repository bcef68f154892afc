"""PostgreSQL that fails over: etcd and two nodes of Patroni on loopback, and the configuration for
three machines, both from one description. Not here: one server alone (config/embedded)."""
