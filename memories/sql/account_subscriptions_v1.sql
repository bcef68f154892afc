-- The worker learns which subscriptions are due; the address it does not read.
GRANT SELECT (next_run_at) ON memories_account TO commonmind_worker;
