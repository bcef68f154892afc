"""Tags with counts, only over active memories that the asker reads.

Each question is one statement under row-level security. No index helps: array operators are not
leakproof, so the database applies the policy first and reads every readable memory. At 100,000 of
them with four tags each an answer takes 70 to 140 ms (two cores).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memories.store.tag_names import LEVEL_SEPARATOR, coerce_tag
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.principals import Actor, Principal, resolve_principal

DEFAULT_LIMIT = 50
EXACT, PREFIX, FUZZY = MATCHES = ("exact", "prefix", "fuzzy")
# The least trigram similarity; the least number of memories in common.
MIN_SIMILARITY = 0.3
MIN_SHARED_MEMORIES = 2

_READABLE_TAGS_SQL = f"""
FROM memories_memory m CROSS JOIN LATERAL unnest(m.tags) AS tag
WHERE m.organisation_id = %(organisation)s AND m.status = 'active' AND m.tags <> '{{}}'
    AND {not_expired_sql()}
    AND (%(robot)s OR m.kind <> 'internal')
"""
_POPULAR_SQL = f"""
SELECT tag, count(*) AS memories {_READABLE_TAGS_SQL}
GROUP BY tag ORDER BY memories DESC, tag COLLATE "C" LIMIT %(most)s
"""
_EXACT_SQL = f"""
SELECT tag, count(*) AS memories {_READABLE_TAGS_SQL} AND tag = %(q)s GROUP BY tag LIMIT %(most)s
"""
_PREFIX_SQL = f"""
SELECT tag, count(*) AS memories {_READABLE_TAGS_SQL} AND starts_with(tag, %(q)s)
GROUP BY tag ORDER BY memories DESC, tag COLLATE "C" LIMIT %(most)s
"""
_FUZZY_SQL = f"""
SELECT tag, memories, similarity(tag, %(q)s) FROM (
    SELECT tag::text, count(*) AS memories {_READABLE_TAGS_SQL} GROUP BY tag
) AS counted
WHERE similarity(tag, %(q)s) >= %(least)s::real
ORDER BY similarity(tag, %(q)s) DESC, memories DESC, tag COLLATE "C" LIMIT %(most)s
"""
_RELATED_SQL = f"""
SELECT tag, count(*) AS memories {_READABLE_TAGS_SQL} AND %(q)s = ANY(m.tags) AND tag <> %(q)s
GROUP BY tag HAVING count(*) >= %(least)s
ORDER BY memories DESC, tag COLLATE "C" LIMIT %(most)s
"""


def search_tags(actor: Actor, wanted: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """The answer of the API as a dict. wanted: q and match, or tree, or related; by default the
    most used tags.

    Counts are numbers of memories. `more` in the answer: whether the limit left some out.
    """
    principal = resolve_principal(actor)
    most = wanted.get("limit", DEFAULT_LIMIT)
    with principal.scope():
        rows = _fetch_tags(principal, wanted, most + 1, now)
    more, rows = len(rows) > most, rows[:most]
    if wanted.get("tree"):
        return {"tree": build_tag_tree(rows), "more": more}
    names = ("tag", "memories", "similarity")
    return {"results": [dict(zip(names, row, strict=False)) for row in rows], "more": more}


def _fetch_tags(
    principal: Principal, wanted: Mapping[str, Any], most: int, now: datetime
) -> list[tuple[Any, ...]]:
    values = {
        "organisation": principal.organisation_id,
        "now": now,
        "robot": not principal.actor.is_person,
        "most": most,
    }
    if wanted.get("related"):
        asked = {"q": _normalise_tag(wanted["related"]), "least": MIN_SHARED_MEMORIES}
        return fetch_all(_RELATED_SQL, values | asked)
    if not wanted.get("q"):
        return fetch_all(_POPULAR_SQL, values)
    match wanted.get("match", EXACT):
        case "prefix":
            return fetch_all(_PREFIX_SQL, values | {"q": wanted["q"].lower()})
        case "fuzzy":
            return fetch_all(
                _FUZZY_SQL, values | {"q": wanted["q"].lower(), "least": MIN_SIMILARITY}
            )
    return fetch_all(_EXACT_SQL, values | {"q": _normalise_tag(wanted["q"])})


def _normalise_tag(tag: str) -> str:
    return coerce_tag(tag) or tag


def build_tag_tree(rows: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Rows of (tag, memories) as a tree by levels, siblings by name.

    The parent of a tag is always in the rows too: it has at least as many memories and the shorter
    name, so the most used tags include it.
    """
    nodes: dict[str, dict[str, Any]] = {}
    roots: list[dict[str, Any]] = []
    for tag, memories in sorted(rows, key=lambda row: row[0].split(LEVEL_SEPARATOR)):
        above, _, level = tag.rpartition(LEVEL_SEPARATOR)
        node = {"tag": tag, "level": level, "memories": memories, "children": []}
        nodes[tag] = node
        (nodes[above]["children"] if above in nodes else roots).append(node)
    return roots


def get_tag_tree(actor: Actor, *, most: int, now: datetime) -> tuple[list[dict[str, Any]], bool]:
    """The `most` most used tags as a tree, and whether there are more."""
    found = search_tags(actor, {"tree": True, "limit": most}, now=now)
    return found["tree"], found["more"]
