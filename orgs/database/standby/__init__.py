"""Whether the standby of DATABASE_REPLICA_URL may answer a search: that it is one, that it is not
behind, and what a caller wrote. What is searched there, and how its hits are confirmed, is
`memories.retrieval.standby`."""
