"""What a memory names, as conditions of SQL; pure, because the search is composed without models.

The names stand in its restatement, and those that were given by hand in the graph.
"""

# Of a restatement `r`. {values}: an array of texts in lower case. A person is also found by one
# word of the name.
CONDITIONS = {
    "keywords": "EXISTS (SELECT 1 FROM unnest(r.keywords) AS w WHERE lower(w) = ANY({values}))",
    "persons": (
        "EXISTS (SELECT 1 FROM unnest(r.persons) AS w "
        "WHERE (string_to_array(lower(w), ' ') || lower(w)) && {values}::text[])"
    ),
    "entities": (
        "EXISTS (SELECT 1 FROM jsonb_array_elements(r.entities) AS e "
        "WHERE lower(e ->> 'name') = ANY({values}))"
    ),
    "topics": "lower(r.topic) = ANY({values})",
}
NAMING_SQL = (
    "SELECT r.memory_id FROM memories_restatement r WHERE r.organisation_id = {organisation} "
    "AND {condition}"
)
GIVEN_SQL = (
    "SELECT g.memory_id FROM memories_entity g WHERE g.organisation_id = {organisation} "
    "AND g.source = 'given' AND lower(g.name) = ANY({values})"
)


def _of_memory(name: str) -> str:
    """The condition that a memory `m` names one of the values %(name)s."""
    values = f"%({name})s"
    found = NAMING_SQL.format(
        organisation="m.organisation_id", condition=CONDITIONS[name].format(values=values)
    )
    sql = f"EXISTS ({found} AND r.memory_id = m.id)"
    if name == "entities":
        given = GIVEN_SQL.format(organisation="m.organisation_id", values=values)
        sql = f"({sql} OR EXISTS ({given} AND g.memory_id = m.id))"
    return sql


# By the name of a filter, the condition on a memory `m`; the values are arrays of `fold_name`.
NAME_CONDITIONS = {name: _of_memory(name) for name in CONDITIONS}
