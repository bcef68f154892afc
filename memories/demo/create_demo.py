"""Create the demo: Halyard, a firm that sews bags, with people, groups, robots and memories."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.access.references import ReaderReferences
from memories.curation import review_decisions
from memories.curation.bulk_change import BulkChange, change_memories
from memories.curation.edit_memory import edit_memory
from memories.demo.demo_script import (
    CORRECTED,
    FORGOTTEN,
    PROTECTED,
    REPORTED,
    ScriptEntry,
    read_script,
)
from memories.demo.teamwork import add_decisions, add_team
from memories.ingestion.drafts import Draft, DraftRefusal
from memories.ingestion.remember import remember_many
from memories.lifecycle.forget import forget_memory
from memories.review.models import Proposal, ProposalState
from memories.review.propose import propose_correction, report_memory
from memories.review.protect import protect_memory
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member, invite_member
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, Organisation
from orgs.organisations.groups import add_to_group, create_group
from orgs.organisations.organisations import create_organisation
from orgs.principals import Actor, resolve_principal
from orgs.wired_functions import wired
from robots.access.acting_for_members import create_delegation
from robots.access.keys import create_key
from robots.models.keys import KeyScope
from robots.models.robots import Robot
from robots.registry.robots import add_robot_to_groups, ensure_robot


@wired
def add_personas(
    organisation_id: UUID, now: datetime, account: Callable[[str, str], dict[str, str]]
) -> list[dict[str, str]]:
    """Add people with personas. account: makes an account of (e-mail address, role). Returns the
    accounts for demo.json."""
    raise NotImplementedError


HOME_SLUG = "home"
EMAIL_DOMAIN = "demo.example"
PEOPLE = (
    ("Ada", Role.ADMIN),
    ("Chidi", Role.CURATOR),
    ("Mina", Role.MEMBER),
    ("Vera", Role.VIEWER),
)
# Members without an account: robots know them, but nobody has invited them yet.
MEMBERS_WITHOUT_LOGIN = ("Priya", "Jonas", "Sigrid", "Tomas")
GROUPS = {
    "launch": ("Ada", "Chidi", "Mina", "Jonas"),
    "design": ("Chidi", "Mina"),
    "support": ("Ada", "Mina", "Vera", "Tomas", "Jonas"),
    "workshop": ("Ada", "Jonas", "Sigrid"),
    "finance": ("Ada", "Priya"),
}
CONFIDENTIAL_GROUPS = ("design", "finance")
ROBOTS = {
    "Aria": ("Listens in the team's chats and answers questions.", tuple(GROUPS)[:4]),
    "Ledger": ("Helps with the books and reminds of payments.", ("finance",)),
    "Scout": ("Reads the trade press and dealers' sites.", ()),
}
ROBOT_SCOPES = (KeyScope.READ, KeyScope.WRITE, KeyScope.ACT_FOR)


def _new_account(email: str, role: str) -> dict[str, str]:
    return {"email": email, "password": secrets.token_urlsafe(12), "role": role}


def create_home_organisation(*, now: datetime, slug: str = HOME_SLUG) -> dict[str, Any]:
    """Create an empty organisation with its admin. Returns {owner: {...}}."""
    owner = _new_account(f"admin@{slug}.example", str(Role.ADMIN))
    with transaction.atomic():
        home = create_organisation(name="Your organisation", slug=slug, now=now)
        with organisation_scope(home.id):
            create_member(
                organisation_id=home.id,
                name="Admin",
                email=owner["email"],
                role=Role.ADMIN,
                password=owner["password"],
                now=now,
            )
    return {"owner": owner | {"organisation": slug}}


def create_demo(*, slug: str, now: datetime, owner: str = "") -> dict[str, Any]:
    """Create the demo organisation. owner: the e-mail address of an account that becomes its admin
    too.

    Returns {users: [{email, password, role}], robots: [{id, name, key}]}.
    """
    with transaction.atomic():
        return _DemoBuilder(slug, now, owner).make()


class _DemoBuilder:
    """The members, groups and robots by name while the demo is created."""

    def __init__(self, slug: str, now: datetime, owner: str) -> None:
        self.slug, self.now, self.owner = slug, now, owner
        self.begun = now - timedelta(days=120)
        self.members: dict[str, Member] = {}
        self.groups: dict[str, Group] = {}
        self.robots: dict[str, Robot] = {}
        self.users: list[dict[str, str]] = []
        self.acts: list[tuple[datetime, Callable[[], object]]] = []

    def make(self) -> dict[str, Any]:
        organisation = create_organisation(name="Halyard (demo)", slug=self.slug, now=self.begun)
        self.id = organisation.id
        with organisation_scope(self.id):
            Organisation.objects.filter(id=self.id).update(demo=True)
            self._people()
            self._places()
            self._machines()
            _, key = create_key(
                organisation_id=self.id,
                robot_id=self.robots["Aria"].id,
                scopes=ROBOT_SCOPES,
                label="The demo",
                now=self.now,
            )
        # Before the firm's own memories, because lists begin with the last ones.
        self.users += add_personas(self.id, self.now, _new_account)
        add_decisions(self._plan, self.person, self.now)
        self._remember(read_script(self.now))
        self._act_until(self.now)
        self._lately()
        aria = self.robots["Aria"]
        return {
            "users": self.users,
            "robots": [{"id": aria.public_id, "name": aria.name, "key": key}],
        }

    def person(self, name: str) -> Actor:
        return actor_of(self.members[name])

    def robot(self, name: str) -> Actor:
        robot = self.robots[name]
        return Actor(organisation_id=self.id, robot_id=robot.id, scopes=frozenset(ROBOT_SCOPES))

    def _people(self) -> None:
        for name, role in PEOPLE:
            account = _new_account(f"{name.lower()}@{EMAIL_DOMAIN}", str(role))
            self.users.append(account)
            self._member(name, role, account["email"], account["password"])
        for name in MEMBERS_WITHOUT_LOGIN:
            self._member(name, Role.MEMBER)
        if self.owner:
            self._member("Owner", Role.ADMIN, self.owner)

    def _member(self, name: str, role: str, email: str = "", password: str | None = None) -> None:
        self.members[name], _ = create_member(
            organisation_id=self.id,
            name=name,
            email=email,
            role=role,
            password=password,
            now=self.begun,
        )

    def _places(self) -> None:
        for name, people in GROUPS.items():
            group = create_group(
                organisation_id=self.id,
                external_id=name,
                name=f"#{name}",
                confidential=name in CONFIDENTIAL_GROUPS,
                owner_id=self.members[people[0]].id,
                now=self.begun,
            )
            self.groups[name] = group
            add_to_group(
                organisation_id=self.id,
                group_id=group.id,
                member_ids=[self.members[p].id for p in people],
            )

    def _machines(self) -> None:
        for name, (purpose, seats) in ROBOTS.items():
            robot, _ = ensure_robot(
                organisation_id=self.id, name=name, purpose=purpose, now=self.begun
            )
            self.robots[name] = robot
            add_robot_to_groups(
                organisation_id=self.id,
                robot_id=robot.id,
                group_ids=[self.groups[g].id for g in seats],
            )

    def _remember(self, entries: list[ScriptEntry]) -> None:
        """Remember the entries day by day, so that each memory has the age that the script gives
        it; between the days what was done then."""
        for (_, writer), some in groupby(entries, lambda e: (e.at.date(), _writer_name(e))):
            together = list(some)
            kind, _, name = writer.partition(" ")
            actor = self.person(name) if kind == "person" else self.robot(name)
            at = min(max(e.at for e in together) + timedelta(minutes=1), self.now)
            self._act_until(at)
            outcomes = remember_many(actor, [self._draft(e) for e in together], now=at)
            for entry, outcome in zip(together, outcomes, strict=True):
                if isinstance(outcome, DraftRefusal):
                    raise outcome.error
                self._plan_acts(at, entry, outcome.id)

    def _plan(self, at: datetime, act: Callable[..., object], *given: Any, **named: Any) -> None:
        """Do it at that moment: the trail is in the order in which things were done."""
        self.acts.append((at, partial(act, *given, **named, now=at)))

    def _act_until(self, at: datetime) -> None:
        """What was planned until this moment, in its order."""
        due = sorted((one for one in self.acts if one[0] <= at), key=itemgetter(0))
        self.acts = [one for one in self.acts if one[0] > at]
        for _, act in due:
            act()

    def _draft(self, entry: ScriptEntry) -> Draft:
        head = entry.header
        if entry.said:
            return Draft(
                content=entry.text,
                group=head["group"],
                speaker=str(self.members[entry.speaker].id),
                type="conversation",
                tier="medium",
                conversation=head["chat"],
                position=entry.position,
                occurred_at=entry.at,
            )
        readers = [str(self.members[n].id) for n in head.get("readers", "").split(",") if n]
        about = head.get("member")
        visibility = "internal" if "internal" in head else head.get("visibility")
        return Draft(
            content=entry.text,
            visibility="organisation" if "propose" in head else visibility,
            readers=ReaderReferences(members=tuple(readers)),
            group=head.get("group"),
            member=str(self.members[about].id) if about else None,
            type=head.get("type", "fact"),
            category=head.get("category", ""),
            tier=head.get("tier", "slow"),
            shareable="shareable" in head,
        )

    def _plan_acts(self, at: datetime, entry: ScriptEntry, id_: UUID) -> None:
        """What the script says about a memory: edit it, report it, suggest a correction, protect
        it, forget it."""
        for number, text in enumerate(entry.edits, start=1):
            when = at + (self.now - at) * number / (len(entry.edits) + 1)
            self._plan(when, edit_memory, self.person("Chidi"), id_, {"content": text})
        if entry.done is None:
            return
        sign, name, words = entry.done
        actor, at = self.person(name), self.now - timedelta(hours=7)
        if sign == REPORTED:
            self._plan(at, report_memory, actor, id_, reason=words)
        elif sign == CORRECTED:
            self._plan(at, propose_correction, actor, id_, content=words)
        elif sign == PROTECTED:
            self._plan(at, protect_memory, actor, id_, reason=words)
        elif sign == FORGOTTEN:
            self._plan(at, forget_memory, actor, id_)

    def _lately(self) -> None:
        """Recent acts: one proposal is decided, Mina gives Aria a delegation, Lena is invited,
        Chidi changed several."""
        now = self.now - timedelta(hours=5)
        mina, ada, chidi = self.person("Mina"), self.person("Ada"), self.person("Chidi")
        with resolve_principal(chidi).scope():
            first = Proposal.objects.filter(state=ProposalState.OPEN, proposed_by_id=mina.member_id)
            item = first.order_by("id").values_list("id", flat=True)[0]
            dealers = _list_ids_containing("dealer")
        review_decisions.approve_item(
            chidi, item, review_decisions.ReviewDecision(version=1), now=now
        )
        aria = self.robots["Aria"].id
        create_delegation(
            organisation_id=self.id,
            member_id=self.members["Mina"].id,
            robot_id=aria,
            actor=mina,
            now=now,
        )
        add_team(ada, self.robots, self.robot, self.now - timedelta(hours=3))
        invite_member(
            ada, email=f"lena@{EMAIL_DOMAIN}", name="Lena", role=Role.MEMBER, now=self.now
        )
        change_memories(chidi, dealers, BulkChange(action="set", tags=("dealers",)), now=now)


def _list_ids_containing(word: str) -> list[UUID]:
    """The memories for everyone that have this word; call inside a scope."""
    rows = Memory.objects.filter(
        content__icontains=word, kind=Kind.ORGANISATION, status=Status.ACTIVE
    )
    return list(rows.values_list("id", flat=True))


def _writer_name(entry: ScriptEntry) -> str:
    head = entry.header
    if "propose" in head:
        return f"person {head['propose']}"
    return f"robot {head.get('internal') or head['robot']}"
