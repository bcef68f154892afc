"""Find memories, people, groups, robots and own saved views by a few letters, as far as a person
may read them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from orgs.expiry import not_expired_sql
from orgs.principals import READABLE_GROUP_SQL, Actor, resolve_principal

# The most results of each kind, the least letters, and the most letters that count.
MAX_PER_TYPE, MIN_CHARACTERS, MAX_CHARACTERS = 5, 2, 100
# Only this many of the newest readable memories are searched; a recall searches all.
MAX_MEMORIES_SCANNED = 2_000
LABEL_CHARACTERS = 140


@dataclass(frozen=True, slots=True)
class PaletteResult:
    """kind: memory, person, group, robot or view. query: the filters of a view."""

    kind: str
    id: UUID
    label: str
    query: str = ""


# Matches at the beginning of a word come before matches inside a word.
_SEARCH_SQL = f"""
(SELECT 'view', v.id, v.name, v.query, v.name ~* %(begins)s AS begins FROM memories_savedview v
 WHERE v.organisation_id = %(organisation)s AND v.member_id = %(me)s AND v.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(v.name), v.id LIMIT %(each)s)
UNION ALL
(SELECT 'person', m.id, m.name, '', m.name ~* %(begins)s FROM orgs_member m
 WHERE m.organisation_id = %(organisation)s AND m.removed_at IS NULL AND m.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(m.name), m.id LIMIT %(each)s)
UNION ALL
(SELECT 'group', g.id, g.name, '', g.name ~* %(begins)s FROM orgs_group g
 WHERE g.organisation_id = %(organisation)s AND {READABLE_GROUP_SQL} AND g.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(g.name), g.id LIMIT %(each)s)
UNION ALL
(SELECT 'robot', r.id, r.name, '', r.name ~* %(begins)s FROM robots_robot r
 WHERE r.organisation_id = %(organisation)s AND r.builtin IS NULL AND r.retired_at IS NULL
   AND (%(moderates)s OR r.owner_id IS NULL OR r.owner_id = %(me)s) AND r.name ILIKE %(like)s
 ORDER BY 5 DESC, lower(r.name), r.id LIMIT %(each)s)
UNION ALL
(SELECT 'memory', m.id, left(m.content, %(shown)s), '', m.content ~* %(begins)s FROM (
    SELECT id, content FROM memories_memory n
    WHERE organisation_id = %(organisation)s AND status = 'active' AND kind <> 'internal'
      AND {not_expired_sql("n")}
    ORDER BY id DESC LIMIT %(looked_at)s
 ) m
 WHERE m.content ILIKE %(like)s ORDER BY 5 DESC, m.id DESC LIMIT %(each)s)
"""


def search_palette(actor: Actor, text: str, *, now: datetime) -> list[PaletteResult]:
    """Results with these letters, some of each kind, matches at the beginning first.

    One statement inside the asker's scope. It does not count as access and is not recorded.
    """
    text = " ".join(text.replace("\x00", "").split())[:MAX_CHARACTERS]
    if len(text) < MIN_CHARACTERS or not actor.is_person:
        return []
    principal = resolve_principal(actor)
    values: dict[str, Any] = {
        "organisation": actor.organisation_id,
        "me": actor.member_id,
        "moderates": actor.moderates,
        "like": "%" + _escape(text, r"\%_") + "%",
        "begins": r"\m" + _escape(text, r"\.^$*+?()[]{}|"),
        "each": MAX_PER_TYPE,
        "looked_at": MAX_MEMORIES_SCANNED,
        "shown": LABEL_CHARACTERS,
        "now": now,
    }
    with principal.scope(), connection.cursor() as cursor:
        cursor.execute(_SEARCH_SQL, values)
        return [PaletteResult(*row[:4]) for row in cursor.fetchall()]


def _escape(text: str, special: str) -> str:
    return "".join(f"\\{sign}" if sign in special else sign for sign in text)
