-- Whether an organisation is suspended: every role that looks for callers reads it.
GRANT SELECT (suspended_at, suspended_for) ON orgs_organisation TO commonmind_support;
