"""Make the small demo organisation of a fresh machine and write DATA_DIR/demo.json."""

import json
import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from memories.services.demo import make_demo
from orgs.models import Member, Organisation, User
from orgs.rls import organisation_scope
from robots.models import KeyScope, Robot
from robots.services import create_key

SLUG = "demo"


class Command(BaseCommand):
    help = "Make the demo organisation once, and tell its log-ins in DATA_DIR/demo.json."

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.DATA_DIR) / "demo.json"
        organisation = Organisation.objects.using("owner").filter(slug=SLUG).first()
        if organisation is not None and path.exists():
            told = json.loads(path.read_text())
            if told.get("url") != settings.PUBLIC_URL:
                write(path, {**told, "url": settings.PUBLIC_URL})
            return
        if organisation is None:
            demo = make_demo(slug=SLUG, now=timezone.now())
        else:
            demo = renew(organisation)
        write(path, {"url": settings.PUBLIC_URL, "organisation": SLUG, **demo})


def renew(organisation: Organisation) -> dict[str, Any]:
    """The file was lost: new passwords and a new key for the demo that is there."""
    users = []
    with organisation_scope(organisation.id):
        for member in organisation_members(organisation):
            password = secrets.token_urlsafe(12)
            user = member.user
            user.set_password(password)
            User.objects.filter(pk=user.pk).update(password=user.password)
            users.append({"email": user.email, "password": password, "role": member.role})
        robot = Robot.objects.filter(organisation_id=organisation.id, builtin=None).first()
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


def organisation_members(organisation: Organisation) -> list[Any]:
    return list(
        Member.objects.filter(
            organisation_id=organisation.id, user__email__endswith="@demo.example"
        ).select_related("user")
    )


def write(path: Path, content: dict[str, Any]) -> None:
    """Whole or not at all, readable by the owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(content, file, indent=2)
    draft.replace(path)
