"""Find memories, people, groups, robots and own saved views by a few letters, as far as a person
may read them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from orgs.principals import READS_GROUP, Actor, resolve

# The most results of each kind, the least letters, and the most letters that count.
EACH, FEWEST, LONGEST = 5, 2, 100
# Only this many of the newest readable memories are searched; a recall searches all.
LOOKED_AT = 2_000
SHOWN = 140


@dataclass(frozen=True, slots=True)
class Found:
    """kind: memory, person, group, robot or view. query: the filters of a view."""

    kind: str
    id: UUID
    label: str
    query: str = ""


# Matches at the beginning of a word come before matches inside a word.
_FIND = f"""
(SELECT 'view', v.id, v.name, v.query, v.name ~* %(begins)s AS begins FROM memories_savedview v
 WHERE v.organisation_id = %(organisation)s AND v.member_id = %(me)s AND v.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(v.name), v.id LIMIT %(each)s)
UNION ALL
(SELECT 'person', m.id, m.name, '', m.name ~* %(begins)s FROM orgs_member m
 WHERE m.organisation_id = %(organisation)s AND m.removed_at IS NULL AND m.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(m.name), m.id LIMIT %(each)s)
UNION ALL
(SELECT 'group', g.id, g.name, '', g.name ~* %(begins)s FROM orgs_group g
 WHERE g.organisation_id = %(organisation)s AND {READS_GROUP} AND g.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(g.name), g.id LIMIT %(each)s)
UNION ALL
(SELECT 'robot', r.id, r.name, '', r.name ~* %(begins)s FROM robots_robot r
 WHERE r.organisation_id = %(organisation)s AND r.builtin IS NULL AND r.retired_at IS NULL
   AND (%(moderates)s OR r.owner_id IS NULL OR r.owner_id = %(me)s) AND r.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(r.name), r.id LIMIT %(each)s)
UNION ALL
(SELECT 'memory', m.id, left(m.content, %(shown)s), '', m.content ~* %(begins)s FROM (
    SELECT id, content FROM memories_memory
    WHERE organisation_id = %(organisation)s AND status = 'active' AND kind <> 'internal'
      AND (expires_at IS NULL OR expires_at > %(now)s)
    ORDER BY id DESC LIMIT %(looked_at)s
 ) m
 WHERE m.content ILIKE %(like)s ORDER BY 5 DESC, m.id DESC LIMIT %(each)s)
"""


def find(actor: Actor, text: str, *, now: datetime) -> list[Found]:
    """Results with these letters, some of each kind, matches at the beginning first.

    One statement inside the asker's scope. It does not count as access and is not recorded.
    """
    text = " ".join(text.replace("\x00", "").split())[:LONGEST]
    if len(text) < FEWEST or not actor.is_person:
        return []
    principal = resolve(actor)
    values: dict[str, Any] = {
        "organisation": actor.organisation_id,
        "me": actor.member_id,
        "moderates": actor.moderates,
        "like": "%" + _escaped(text, r"\%_") + "%",
        "begins": r"\m" + _escaped(text, r"\.^$*+?()[]{}|"),
        "each": EACH,
        "looked_at": LOOKED_AT,
        "shown": SHOWN,
        "now": now,
    }
    with principal.scope(), connection.cursor() as cursor:
        cursor.execute(_FIND, values)
        return [Found(*row[:4]) for row in cursor.fetchall()]


def _escaped(text: str, special: str) -> str:
    return "".join(f"\\{sign}" if sign in special else sign for sign in text)
