"""The demo organisation: a small firm with two groups, a few people, a robot and its memories."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from memories.services.drafts import Draft
from memories.services.remembering import remember_many
from orgs.models import Role
from orgs.principals import Actor
from orgs.rls import organisation_scope
from orgs.services import add_to_group, create_group, create_member, create_organisation
from robots.models import KeyScope
from robots.services import create_key, join_groups, register_robot

PEOPLE = (
    ("Ada", Role.ADMIN),
    ("Chidi", Role.CURATOR),
    ("Mina", Role.MEMBER),
    ("Vera", Role.VIEWER),
)
GROUPS = {"launch": ("Ada", "Chidi", "Mina"), "design": ("Chidi", "Mina")}

SHARED = (
    ("The office closes at 18:00 on Fridays; the alarm is armed ten minutes later.", "org_policy"),
    ("Invoices above 5,000 euros need a second signature from finance.", "org_policy"),
    ("Our main customer support language is English, German on request.", "org_fact"),
    ("The staging environment is rebuilt every night at 02:00 UTC.", "org_fact"),
    ("We decided to keep the free plan and to drop the student discount.", "org_decision"),
)
LAUNCH = (
    ("Ada", "The launch moves to the second Tuesday of June, marketing needs two more weeks."),
    ("Mina", "Then the press kit can wait. Who writes the announcement?"),
    ("Chidi", "I write it, with the pricing table from the spring survey."),
    ("Ada", "Good. The demo video must stay under ninety seconds."),
    ("Mina", "I asked the studio, they can record on Thursday."),
)
DESIGN = (
    ("Chidi", "The new palette passes contrast in dark mode except the yellow badge."),
    ("Mina", "I will darken the yellow and send both versions before lunch."),
)


def make_demo(*, slug: str, now: datetime) -> dict[str, Any]:
    """Create it all. Returns {users: [{email, password, role}], robots: [{id, name, key}]}."""
    with transaction.atomic():
        return _made(slug, now)


def _made(slug: str, now: datetime) -> dict[str, Any]:
    organisation = create_organisation(name="Demo", slug=slug, now=now)
    with organisation_scope(organisation.id):
        members, users = {}, []
        for name, role in PEOPLE:
            password = secrets.token_urlsafe(12)
            email = f"{name.lower()}@demo.example"
            member, _ = create_member(
                organisation_id=organisation.id,
                name=name,
                email=email,
                role=role,
                password=password,
                now=now,
            )
            members[name] = member
            users.append({"email": email, "password": password, "role": str(role)})
        groups = {}
        for name, people in GROUPS.items():
            group = create_group(
                organisation_id=organisation.id,
                external_id=name,
                name=f"#{name}",
                confidential=name == "design",
                now=now,
            )
            groups[name] = group
            add_to_group(
                organisation_id=organisation.id,
                group_id=group.id,
                member_ids=[members[p].id for p in people],
            )
        robot, _ = register_robot(
            organisation_id=organisation.id,
            name="Aria",
            purpose="Listens in the team's chats and answers questions.",
            now=now,
        )
        join_groups(
            organisation_id=organisation.id,
            robot_id=robot.id,
            group_ids=[g.id for g in groups.values()],
        )
        key, secret = create_key(
            organisation_id=organisation.id,
            robot_id=robot.id,
            scopes=[KeyScope.READ, KeyScope.WRITE, KeyScope.ACT_FOR],
            now=now,
        )
    actor = Actor(organisation_id=organisation.id, robot_id=robot.id, scopes=frozenset(key.scopes))
    remember_many(actor, [*_shared(), *_chats(members, now), *_private(members)], now=now)
    return {
        "users": users,
        "robots": [{"id": robot.public_id, "name": robot.name, "key": secret}],
    }


def _shared() -> list[Draft]:
    return [Draft(content=text, category=category) for text, category in SHARED]


def _chats(members: dict[str, Any], now: datetime) -> list[Draft]:
    drafts = []
    for group, turns in (("launch", LAUNCH), ("design", DESIGN)):
        start = now - timedelta(days=3, hours=len(turns))
        drafts += [
            Draft(
                content=text,
                group=group,
                speaker=str(members[speaker].id),
                type="conversation",
                conversation=f"{group}/monday",
                occurred_at=start + timedelta(minutes=4 * n),
            )
            for n, (speaker, text) in enumerate(turns)
        ]
    return drafts


def _private(members: dict[str, Any]) -> list[Draft]:
    return [
        Draft(
            content="Mina prefers meetings after ten and answers in short sentences.",
            member=str(members["Mina"].id),
            category="preference",
        ),
        Draft(
            content="Ada is allergic to peanuts; order her lunch accordingly.",
            member=str(members["Ada"].id),
            category="preference",
        ),
    ]
