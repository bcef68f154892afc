"""Prepare a fresh machine: an organisation with an admin, and a demo, described in
DATA_DIR/demo.json."""

import json
import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memories.demo.create_demo import HOME_SLUG, create_demo, create_home_organisation
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.models.users import User
from orgs.placement.all_organisations import list_organisations
from robots.access.keys import create_key
from robots.models.keys import KeyScope
from robots.models.robots import Robot

SLUG = "demo"
QUESTION = "When does the Spinnaker go on sale?"


class Command(BaseCommand):
    help = "On a fresh machine: an admin's own organisation and a demo; DATA_DIR/demo.json tells."

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.DATA_DIR) / "demo.json"
        told = json.loads(path.read_text()) if path.exists() else {}
        demo = next(iter(list_organisations(Q(slug=SLUG))), None)
        if demo is None and not list_organisations(limit=1):
            made = create_organisations()
        elif demo is None:
            # The demo was removed or never wanted, so its file is outdated.
            made = {name: told[name] for name in ("owner",) if name in told}
            made |= {"organisation": HOME_SLUG, "users": [], "robots": []}
        elif told.get("users"):
            made = told
        else:
            made = {**told, "organisation": SLUG, **reset_credentials(demo)}
        made = {**made, "url": settings.PUBLIC_URL}
        if made != told:
            write_private_file(path, made)


def create_organisations() -> dict[str, Any]:
    """Create both organisations of a fresh machine, in one transaction."""
    now = timezone.now()
    with transaction.atomic():
        home = create_home_organisation(now=now)
        demo = create_demo(slug=SLUG, now=now, owner=home["owner"]["email"])
    return {"organisation": SLUG, **demo, **home, "question": QUESTION}


def reset_credentials(organisation: Organisation) -> dict[str, Any]:
    """The file was lost: set new passwords and a new key for the existing demo."""
    users = []
    with organisation_scope(organisation.id):
        Organisation.objects.filter(id=organisation.id).update(demo=True)
        for member in list_demo_users(organisation):
            password = secrets.token_urlsafe(12)
            user = member.user
            user.set_password(password)
            User.objects.filter(pk=user.pk).update(password=user.password)
            users.append({"email": user.email, "password": password, "role": member.role})
        robots_there = Robot.objects.filter(organisation_id=organisation.id, builtin=None)
        # A personal robot reads what is private to its member.
        robot = robots_there.filter(owner=None, retired_at=None).order_by("id").first()
        robots = []
        if robot:
            _, key = create_key(
                organisation_id=organisation.id,
                robot_id=robot.id,
                scopes=[KeyScope.READ, KeyScope.WRITE, KeyScope.ACT_FOR],
                now=timezone.now(),
            )
            robots.append({"id": robot.public_id, "name": robot.name, "key": key})
    return {"users": users, "robots": robots}


def list_demo_users(organisation: Organisation) -> list[Any]:
    return list(
        Member.objects.filter(
            organisation_id=organisation.id, user__email__endswith="@demo.example"
        ).select_related("user")
    )


def write_private_file(path: Path, content: dict[str, Any]) -> None:
    """Write a file atomically, readable by its owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(content, file, indent=2)
    draft.replace(path)
