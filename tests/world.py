"""A shared cast. Ada administers, Chidi curates, Mina and Bob are members, Vera views; Mina and
Bob are in #launch, Mina alone in #design; Oskar belongs to another organisation altogether."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from django.conf import settings
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from memories.indexing import embed_worker, enrich_worker
from memories.indexing.models import EnrichmentState, Pending
from memories.ingestion.drafts import Draft, RememberResult
from memories.ingestion.remember import remember
from memories.store.models.memory import Memory
from orgs.accounts.sessions import SIGN_IN_SESSION_KEY, actor_of
from orgs.database.rls import Scope, fetch_in_scope, organisation_scope, scope
from orgs.members.invitations import create_member
from orgs.models.audiences import Audience
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, Organisation
from orgs.models.users import User
from orgs.organisations.groups import add_to_group, create_group
from orgs.organisations.organisations import create_organisation
from orgs.principals import Actor, resolve_principal
from robots.access.keys import create_key
from robots.access.personal_robot_actor import actor_of_robot
from robots.models.robots import Robot
from robots.models.teams import Team
from robots.registry.robots import add_robot_to_groups, ensure_robot
from robots.teams.team_robots import add_team_robot
from robots.teams.teams import create_team

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"
DAY = 24 * 3600
_AUDIENCES = f"SELECT array_agg(id) FROM {Audience._meta.db_table}"
PEOPLE = {
    "ada": Role.ADMIN,
    "chidi": Role.CURATOR,
    "mina": Role.MEMBER,
    "bob": Role.MEMBER,
    "vera": Role.VIEWER,
}


@dataclass
class Tenant:
    """An organisation with its people, groups and robots by name."""

    organisation: Organisation
    members: dict[str, Member] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    robots: dict[str, Robot] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    # Who has signed in beforehand, with the key of the session; the first browser takes it.
    sessions: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> UUID:
        return self.organisation.id

    def person(self, name: str) -> Actor:
        """A member who asks for themselves."""
        return actor_of(self.members[name])

    def robot(self, name: str, *scopes: str) -> Actor:
        """A robot; with all scopes but manage unless they are named."""
        return actor_of_robot(self.robots[name], scopes or ("read", "write", "act_for"))

    def give_owner(self, robot: str, member: str) -> None:
        """Make a robot the personal one of a member."""
        row = self.robots[robot]
        row.owner = self.members[member]
        with organisation_scope(self.id):
            row.save(update_fields=["owner"])

    def api(self, name: str) -> APIClient:
        """A client that sends the key of a robot."""
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {self.keys[name]}")
        return client

    def browser(self, name: str) -> APIClient:
        """A client with the session of a member who has signed in."""
        client = APIClient()
        self.sign_in(client, name)
        return client

    def sign_in(self, client: Client, name: str) -> None:
        """Give a browser the session that was kept for this member, or a new one."""
        if key := self.sessions.pop(name, None):
            client.cookies[settings.SESSION_COOKIE_NAME] = key
            return
        with organisation_scope(self.id):
            member = Member.objects.get(id=self.members[name].id)
        # Outside of the scope, because accounts are kept on the home server alone.
        client.force_login(User.objects.get(pk=member.user_id))

    def keep_sessions(self) -> None:
        """Sign everybody in once, for all tests that undo what they do."""
        for name, member in self.members.items():
            client = Client()
            client.force_login(member.user)
            session = client.session
            # As if it were always seen and never over, however long the tests run.
            session[SIGN_IN_SESSION_KEY] |= {"at": int(time.time()) + 10 * DAY}
            session.set_expiry(1_000 * DAY)
            session.save()
            self.sessions[name] = session.session_key

    def readable(self, who: Actor) -> set[UUID]:
        """The ids of every memory that the database shows to who asks."""
        principal = resolve_principal(who)
        with principal.scope():
            return set(Memory.objects.values_list("id", flat=True))

    def add_robot(
        self, name: str, *, groups: tuple[str, ...] = (), scopes: tuple[str, ...]
    ) -> Robot:
        robot, _ = ensure_robot(organisation_id=self.id, name=name, now=NOW)
        add_robot_to_groups(
            organisation_id=self.id,
            robot_id=robot.id,
            group_ids=[self.groups[g].id for g in groups],
        )
        _, key = create_key(
            organisation_id=self.id, robot_id=robot.id, scopes=scopes, now=timezone.now()
        )
        self.robots[name], self.keys[name] = robot, key
        return robot

    def add_team(self, name: str, *robots: str, **fields: Any) -> Team:
        """A team of these robots; the first is active, the others are passive."""
        ada = self.person("ada")
        team = create_team(ada, {"id": name, "name": name, **fields}, now=NOW)
        for number, robot in enumerate(robots):
            at = NOW + timedelta(seconds=number)
            add_team_robot(ada, str(team.id), str(self.robots[robot].id), now=at)
        return team

    def remember(self, who: Actor, content: str, **fields: Any) -> RememberResult:
        """Remember, and read it as the worker would."""
        made = remember(who, Draft(content=content, **fields), now=NOW)
        self.read()
        return made

    def read(self) -> None:
        """Do the worker's reading at once, in the transaction of the test."""
        [(audiences,)] = fetch_in_scope(Scope(organisation=self.id), _AUDIENCES, {})
        with scope(Scope(organisation=self.id, audiences=tuple(audiences))):
            owed = list(
                Pending.objects.exclude(reading=EnrichmentState.DONE).order_by("created_at", "id")
            )
            if owed:
                enrich_worker.enrich_memories(Organisation.objects.get(id=self.id), owed, NOW)

    def embed(self) -> None:
        """Do what the worker does; needs committed rows."""
        while embed_worker.embed_pending(self.id, now=timezone.now()):
            pass


@dataclass
class World:
    """Two organisations. The second is made when a test first names it: two tests of three in
    which rows are committed never do."""

    here: Tenant
    make_there: Callable[[], Tenant]

    @cached_property
    def there(self) -> Tenant:
        return self.make_there()


def make_tenant(name: str, *, server: str = "") -> Tenant:
    """aria acts for members in both groups, bolt sits nowhere, clio only in #design."""
    tenant = Tenant(
        create_organisation(name=f"{name} {secrets.token_hex(5)}", server=server, now=NOW)
    )
    with organisation_scope(tenant.id):
        for person, role in PEOPLE.items():
            tenant.members[person], _ = create_member(
                organisation_id=tenant.id,
                name=person.capitalize(),
                email=f"{person}@{tenant.organisation.slug}.example",
                role=role,
                password=PASSWORD,
                now=NOW,
            )
        for group, people in {"launch": ("mina", "bob"), "design": ("mina",)}.items():
            tenant.groups[group] = create_group(
                organisation_id=tenant.id, external_id=group, name=f"#{group}", now=NOW
            )
            add_to_group(
                organisation_id=tenant.id,
                group_id=tenant.groups[group].id,
                member_ids=[tenant.members[p].id for p in people],
            )
        tenant.add_robot("aria", groups=("launch", "design"), scopes=("read", "write", "act_for"))
        tenant.add_robot("bolt", scopes=("read", "write"))
        tenant.add_robot("clio", groups=("design",), scopes=("read", "write"))
    return tenant


def make_world() -> World:
    return World(make_tenant("Here"), lambda: make_tenant("There"))
