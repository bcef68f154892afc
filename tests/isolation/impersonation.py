"""Calls that try to stand in for somebody else, and what must be as before after them.

Generated from the description of the API: every writing operation, every place in it that takes a
name or a reference, every spelling that could be taken for a person, a group or a robot.
"""

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.invitations import create_member
from orgs.models.memberships import Member
from orgs.organisations.groups import add_to_group
from orgs.organisations.references import link_identity
from robots.access.acting_for_members import resolve_actor
from tests.isolation.api_surface import Operation, Path, Slot, api_operations, set_value
from tests.world import NOW, Tenant

NAME = "slack:U1"
# Slots whose text is nobody's name.
TEXTS = {"content", "text", "query", "reason", "evidence", "purpose", "title", "topic", "timeframe"}
ATTACKERS = ("carl", "aria", "dora", "mina", "vera")


@dataclass
class ImpersonationWorld:
    """Bob, confirmed as slack:U1, in #launch; Lena beside him has no account and is the bait."""

    here: Tenant
    lena: Member = field(init=False)
    chat: str = field(init=False)
    memory: str = field(init=False)

    def __post_init__(self) -> None:
        here = self.here
        here.add_robot("carl", groups=("launch",), scopes=("read", "write"))
        here.add_robot("dora", groups=("launch",), scopes=("read", "write", "manage"))
        here.add_robot("judge", groups=("launch",), scopes=("read", "write", "act_for"))
        with organisation_scope(here.id):
            self.lena, _ = create_member(organisation_id=here.id, name="Lena", now=NOW)
            add_to_group(
                organisation_id=here.id,
                group_id=here.groups["launch"].id,
                member_ids=[self.lena.id],
            )
            link_identity(
                organisation_id=here.id,
                platform="slack",
                identifier="U1",
                member_id=here.members["bob"].id,
                confirmed_at=NOW,
            )
        client = here.api("judge")
        opened = client.post("/api/v1/conversations", {"group": "launch"}, format="json")
        self.chat = opened.json()["id"]
        body = {"content": "The zebra sleeps.", "group": "launch"}
        self.memory = client.post("/api/v1/memories", body, format="json").json()["id"]

    def client(self, who: str) -> APIClient:
        return self.here.browser(who) if who in self.here.members else self.here.api(who)

    def imitations(self) -> list[str]:
        """Whatever could be taken for Bob, #launch or a robot."""
        here = self.here
        launch, bob, judge = here.groups["launch"], here.members["bob"], here.robots["judge"]
        return [
            NAME,
            f"slack:{launch.external_id}/U1",
            f"slack:{launch.id}/U1",
            f"slack:{launch.name}/U1",
            "slack:U1\u200b",
            "Slack:U1",
            "sl\u0430ck:U1",
            "import:Bob",
            f"import:{launch.external_id}/Bob",
            f"urn:uuid:{bob.id}",
            f"uuid:{bob.id.hex}",
            *(spelt for id_ in (launch.id, bob.id, judge.id) for spelt in spellings(id_)),
            launch.external_id,
            launch.name,
            "l\u0430unch",
            "Bob",
            "B\u043eb",
            "Bob\u200b",
            "judge",
            "JUDGE",
            "web",
        ]


def spellings(id_: UUID) -> tuple[str, ...]:
    return (str(id_), str(id_).upper(), id_.hex, f"{{{id_}}}", f"urn:uuid:{id_}")


Call = tuple[str, Operation, Slot, str]


def calls(trap: ImpersonationWorld, who: str) -> Iterator[Call]:
    """Every writing operation x slot x imitation."""
    for operation in api_operations():
        if operation.method == "get":
            continue
        for slot in operation.slots:
            if slot.where != "query" and slot.path[-1] not in TEXTS:
                for value in trap.imitations():
                    yield who, operation, slot, value


def sample_calls(
    trap: ImpersonationWorld, who: str, count: int, seed: int, about: str = ""
) -> list[Call]:
    """One of each operation at least, then of each slot, then at random."""
    everything = [call for call in calls(trap, who) if about in str(call[1])]
    random.Random(seed).shuffle(everything)  # noqa: S311
    operations: dict[str, Call] = {}
    slots: dict[tuple[str, Path], Call] = {}
    for call in everything:
        operations.setdefault(str(call[1]), call)
        slots.setdefault((str(call[1]), call[2].path), call)
    ordered = [*operations.values(), *slots.values(), *everything]
    distinct = {id(call): call for call in ordered}
    return list(distinct.values())[: max(count, len(operations))]


def send(trap: ImpersonationWorld, call: Call, rng: random.Random) -> int:
    """Make the call as well as it can be made: what else it needs is Lena's and the attacker's."""
    who, operation, slot, value = call
    address, body = operation.address, copy.deepcopy(operation.body)
    robot = trap.here.robots.get(who, trap.here.robots["carl"])
    found = {
        "conversation_id": trap.chat,
        "memory_id": trap.memory,
        "identity": NAME,
        "reference": {
            "groups": "launch",
            "members": rng.choice([str(trap.lena.id), str(trap.here.members["bob"].id)]),
            "robots": str(robot.id),
        }.get(address.split("/")[3], str(trap.lena.id)),
    }
    for one in operation.slots:
        name = str(one.path[0])
        if one.where == "path":
            here = value if one == slot else found.get(name, str(trap.lena.id))
            address = address.replace(f"{{{name}}}", here)
    if slot.where == "body":
        set_value(body, slot.path, value)
        if operation.address.endswith("/members") and slot.path == ("identity",):
            body["name"] = rng.choice(["Someone", "Bob", "Lena"])
        if "/memories" in address and "items" not in body:
            body.setdefault("group", "launch")
    answer = getattr(trap.client(who), operation.method)(address, body, format="json")
    return int(answer.status_code)


def observed_identity(trap: ImpersonationWorld) -> dict[str, Any]:
    """Who gets what is meant for Bob, and where what is meant for #launch goes."""
    here = trap.here
    judge, launch, bob = here.robot("judge"), here.groups["launch"], here.members["bob"]
    found: dict[str, Any] = {}
    for name, reference in {"name": NAME, "id": str(bob.id)}.items():
        for place in (None, "launch", str(launch.id)):
            found[f"act for {name} in {place and 'launch'}"] = resolved_member(
                judge, reference, place
            )
    for reference in ("launch", str(launch.id)):
        found[f"group {reference == 'launch'}"] = resolved_group(judge, reference)
    found["robot"] = trap.client("judge").get(f"/api/v1/robots/{here.robots['judge'].id}").json()
    found["robot"] = (found["robot"]["id"], found["robot"]["name"])
    found |= post_for_bob(trap)
    return found


def resolved_member(judge: Any, reference: str, place: str | None) -> UUID | None:
    try:
        return resolve_actor(judge, member=reference, group=place).member_id
    except NotFoundError:
        return None


def resolved_group(judge: Any, reference: str) -> UUID | None:
    try:
        return resolve_actor(judge, group=reference).group_id
    except NotFoundError:
        return None


def post_for_bob(trap: ImpersonationWorld) -> dict[str, Any]:
    """A message of Bob's, and a private deposit for him: whose they are, and who reads them."""
    here, client = trap.here, trap.client("judge")
    url = f"/api/v1/conversations/{trap.chat}/messages"
    kept = client.post(
        url, {"content": "the blue folder is lost", "speaker": NAME}, format="json"
    ).json()
    # Who manages may take the judge out of the group: then nothing is posted and nothing found.
    listed = client.get(url).json().get("results", [])
    message = next((one for one in listed if one["id"] == kept.get("id")), None)
    body = {"content": "A gift for you.", "member": NAME, "group": "launch"}
    given = client.post("/api/v1/memories", body | {"visibility": "private"}, format="json")
    id_ = given.json().get("id")
    readers = {
        name: UUID(id_) in here.readable(here.person(name)) if id_ else False
        for name in ("ada", "bob", "mina", "vera")
    }
    return {
        "speaker": message and message["member"],
        "place": kept.get("memory") is not None,
        "deposit": readers,
    }


def list_differences(before: dict[str, Any], after: dict[str, Any], *, manages: bool) -> list[str]:
    """What went elsewhere. Who manages may take Bob out: then he gets nothing, and nobody else."""
    found = []
    for name, was in before.items():
        now = after[name]
        nothing = not (any(now.values()) if name == "deposit" else now)
        if now != was and not (manages and nothing):
            found.append(f"{name}: {was} became {now}")
    return found
