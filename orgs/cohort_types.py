"""The kinds of audiences that people of one profession read. Text alone, without Django."""

# Of a persona, of all personas of an industry, of a role.
COHORT_TYPES = ("persona", "industry", "role")
COHORT_TYPES_SQL = str(COHORT_TYPES)
# The key of the audience `industry` for all industries: everybody in the organisation reads it. No
# handle of a persona has such a part.
EVERY_INDUSTRY = "*"
# How far that audience is from a reader, among the kinds of audiences: the farthest.
GLOBAL_LEVEL = "global"


def audience_level(kind: str, key: str) -> str:
    """The kind of an audience, or GLOBAL_LEVEL for that of all industries."""
    return GLOBAL_LEVEL if (kind, key) == ("industry", EVERY_INDUSTRY) else kind


def is_global_sql(audience: str) -> str:
    """The condition that this row of audiences, an alias, is that of all industries."""
    return f"({audience}.kind = 'industry' AND {audience}.key = '{EVERY_INDUSTRY}')"


def audience_level_sql(audience: str) -> str:
    """`audience_level` of this row of audiences, an alias."""
    return f"CASE WHEN {is_global_sql(audience)} THEN '{GLOBAL_LEVEL}' ELSE {audience}.kind END"
