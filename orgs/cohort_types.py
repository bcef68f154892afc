"""The kinds of audiences that people of one profession read. Text alone, without Django."""

# Of a persona, of all personas of an industry, of a role.
COHORT_TYPES = ("persona", "industry", "role")
COHORT_TYPES_SQL = str(COHORT_TYPES)
