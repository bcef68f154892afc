-- The worker asks whether there are indexes of parts to build.
GRANT SELECT (has_parts) ON orgs_organisation TO commonmind_worker;
