"""Canaries: words that stand nowhere else, planted wherever the product keeps words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from memories.curation.edit_memory import edit_memory
from memories.lifecycle.consolidation.capacity_limit import AudienceTier
from memories.lifecycle.consolidation.summarise import summarise_and_archive
from memories.review.propose import propose_correction, report_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import Actor, resolve_principal
from tests.isolation.catalogue import tenant_tables
from tests.world import NOW, Tenant

# Long enough that no random key of a session looks like one.
FORMS = "([Zz]wkxq|[Qq]vjxz)[a-z]{6}|(ZWKXQ|QVJXZ)[A-Z]{6}"
CANARY = re.compile(FORMS)


@dataclass
class PlantedCanaries:
    """What was planted about Mina. words: every canary. hers: ids of memories that must go;
    theirs: ids that must stay; level: the summary that stands on two others."""

    here: Tenant
    prefix: str = "Zwkxq"
    words: list[str] = field(default_factory=list)
    hers: list[UUID] = field(default_factory=list)
    theirs: list[UUID] = field(default_factory=list)
    top: UUID | None = None

    def word(self) -> str:
        """A word that nobody has used."""
        number, letters = len(self.words), ""
        for _ in range(6):
            number, rest = divmod(number, 26)
            letters += chr(97 + rest)
        self.words.append(f"{self.prefix}{letters}")
        return self.words[-1]

    @property
    def mina(self) -> Actor:
        return self.here.person("mina")

    @property
    def aria(self) -> Actor:
        return self.here.robot("aria")


def rename(planted: PlantedCanaries) -> str:
    """Give Mina a name of canaries; returns it."""
    name = f"{planted.word()} {planted.word()}"
    with organisation_scope(planted.here.id):
        Member.objects.filter(id=planted.here.members["mina"].id).update(name=name)
    planted.here.members["mina"].name = name
    return name


def plant_canaries(here: Tenant, times: int = 1, prefix: str = "Zwkxq") -> PlantedCanaries:
    """Everything that is kept about a member, `times` times over."""
    planted = PlantedCanaries(here, prefix)
    name = rename(planted)
    for _ in range(times):
        _memories(planted)
        _messages(planted)
        _plant_colleagues_memories(planted, name)
        _decisions(planted)
    _plant_summaries(planted)
    here.embed()
    return planted


def _memories(planted: PlantedCanaries) -> None:
    here, word = planted.here, planted.word
    mina = str(here.members["mina"].id)
    id_ = here.remember(
        planted.aria,
        f"She keeps her {word()} in the {word()}.",
        group="launch",
        member=mina,
        kind="user",
        topic=f"{word()} office",
        tags=(word().lower(),),
        metadata={"note": word(), "deep": [{word(): word()}]},
        source={"url": word()},
        conversation=word(),
        position=1,
    ).id
    edit_memory(planted.aria, id_, {"content": f"It was the {word()} after all."}, now=NOW)
    propose_correction(here.person("bob"), id_, content=f"No {word()}.", reason=word(), now=NOW)
    report_memory(here.person("bob"), id_, reason=word(), now=NOW)
    own = here.remember(planted.mina, f"My own {word()}.", visibility="private").id
    said = here.remember(planted.aria, f"I like {word()}.", group="launch", speaker=mina).id
    note = here.remember(
        planted.aria, f"She may be {word()}.", visibility="internal", member=mina
    ).id
    planted.hers += [id_, own, said, note]


def _messages(planted: PlantedCanaries) -> None:
    """A group's talk, in which Bob answers, and a direct one with a robot."""
    here, word = planted.here, planted.word
    api = here.api("aria")
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    _post(
        api,
        {"group": "launch", "title": f"About {here.members['mina'].name}"},
        [
            {"role": "user", "content": f"The {word()} moves to Lisbon.", "speaker": mina},
            {"role": "user", "content": "Then we order chairs for the hall.", "speaker": bob},
        ],
    )
    _post(
        api,
        {"member": mina, "title": word(), "metadata": {"about": word()}},
        [{"role": "user", "content": f"Nobody knows of {word()}.", "speaker": mina}],
    )


def _post(api: Any, conversation: dict[str, Any], messages: list[dict[str, Any]]) -> None:
    made = api.post("/api/v1/conversations", conversation, format="json")
    assert made.status_code == 201, made.content
    said = api.post(
        f"/api/v1/conversations/{made.json()['id']}/messages/batch",
        {"items": messages},
        format="json",
    )
    assert {one["status"] for one in said.json()["results"]} <= {"kept"}, said.content


def _plant_colleagues_memories(planted: PlantedCanaries, name: str) -> None:
    """What colleagues wrote: it stays, without the name."""
    here = planted.here
    first, last = name.split()
    for text in (
        f"Bob sent the plans to {name} on Friday.",
        f"Ask {last}, or {first.upper()} {last}.",
    ):
        made = here.remember(
            here.person("bob"), text, group="launch", tags=(last.lower(),), metadata={"to": name}
        )
        planted.theirs.append(made.id)


def _decisions(planted: PlantedCanaries) -> None:
    """A decision of others, in which she dissents, and a debate that was opened for her."""
    here, word, api = planted.here, planted.word, planted.here.api("aria")
    mina = str(here.members["mina"].id)
    place = {"group": "launch", "member": str(here.members["bob"].id)}
    decision = {"topic": "Which queue", "conclusion": f"That of {len(planted.words)}.", **place}
    made = _send(api, "decisions", decision)["id"]
    said = {"kind": "risk_warning", "content": f"The {word()} may lock.", "reasoning": word()}
    _send(here.browser("mina"), f"decisions/{made}/dissents", said)
    _send(api, "debates", {"topic": f"Which {word()}", "group": "launch", "member": mina})


def _send(api: Any, path: str, body: dict[str, Any]) -> Any:
    answer = api.post(f"/api/v1/{path}", body, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def _plant_summaries(planted: PlantedCanaries) -> None:
    """Three levels: facts of hers and of Bob's, summaries of these, and one of the summaries."""
    here = planted.here
    facts = []
    for number in range(4):
        who, text = planted.aria, f"The hall has {number} gates and a wall."
        if number % 2 == 0:
            who, text = planted.mina, f"The {planted.word()} has {number} doors."
        facts.append(here.remember(who, text, group="launch").id)
    with resolve_principal(planted.aria).scope():
        rows = {row.id: row for row in Memory.objects.filter(id__in=facts)}
        pairs = [[rows[facts[0]], rows[facts[1]]], [rows[facts[2]], rows[facts[3]]]]
        place = AudienceTier(here.id, pairs[0][0].audience_id, pairs[0][0].tier, 1)
        middle = [
            summarise_and_archive(place, pair, unwilling=set(), now=NOW).made[0] for pair in pairs
        ]
        [top] = summarise_and_archive(place, middle, unwilling=set(), now=NOW).made
    planted.hers += [facts[0], facts[2], *(row.id for row in middle), top.id]
    planted.theirs += [facts[1], facts[3]]
    planted.top = top.id


SHARED = ("orgs_user", "account_emailaddress", "orgs_signin", "django_session", "django_admin_log")
SHARED += ("orgs_supportact",)


def found_in_rows(connection: psycopg.Connection[Any]) -> dict[str, list[str]]:
    """Tables by the canaries that any column of any row holds, read past every policy."""
    found = {}
    for table in [*tenant_tables(connection), *SHARED]:
        rows = connection.execute(
            sql.SQL("SELECT r::text FROM {} AS r WHERE r::text ~ {}").format(
                sql.Identifier(table), sql.Literal(FORMS)
            )
        )
        if words := sorted({word for (text,) in rows for word in find_canaries(text)}):
            found[table] = words
    return found


def find_canaries(text: str) -> list[str]:
    """The canaries in a text."""
    return [match[0] for match in CANARY.finditer(text)]


def found_in_files(prefix: str, *folders: Path) -> Iterator[str]:
    """Every file below that holds a canary of the prefix, as `path: word`; not the write-ahead log.

    Other tests leave their own words in the pages of the same database.
    """
    wanted = re.compile(rf"{prefix}[a-z]{{6}}".encode(), re.IGNORECASE)
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            if "pg_wal" not in path.parts and (match := wanted.search(path.read_bytes())):
                yield f"{path}: {match[0].decode()}"


def plant_sealed(planted: PlantedCanaries) -> UUID:
    """What a colleague keeps encrypted, with the name in it and in an older version."""
    here, name = planted.here, planted.here.members["mina"].name
    made = here.remember(
        here.person("bob"), f"The code of {name} is 12.", group="launch", sensitive=True
    )
    edit_memory(here.person("bob"), made.id, {"content": f"{name} has 13."}, now=NOW)
    planted.theirs.append(made.id)
    return made.id
