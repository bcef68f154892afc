"""Kinds of audiences that several rules name. Text alone, without Django."""

# The kinds that people of one profession read: of a persona, of all personas of an industry, of a
# role.
COHORT_TYPES = ("persona", "industry", "role")
COHORT_TYPES_SQL = "('persona', 'industry', 'role')"
