"""The shell of a member: it shows what they read, and undoes what was done unless told to keep."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.world import Tenant, World

COUNT = "print(Memory.objects.count(), member.name, principal.actor.role)"


def typed(tenant: Tenant, code: str, **options: Any) -> None:
    call_command(
        "shell_as", command=code, organisation=tenant.organisation.slug, verbosity=0, **options
    )


def address(tenant: Tenant, name: str) -> str:
    return f"{name}@{tenant.organisation.slug}.example"


def test_it_shows_what_the_member_reads(
    lasting_world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    here = lasting_world.here
    here.remember(here.person("mina"), "For me.", visibility="private")
    here.remember(here.robot("aria"), "For everyone.", visibility="organisation")
    typed(here, COUNT, member=address(here, "Mina"))
    typed(here, COUNT, member=address(here, "bob"))
    typed(here, COUNT)
    assert capsys.readouterr().out.splitlines() == ["2 Mina member", "1 Bob member", "1 Ada admin"]


def test_changes_are_undone_unless_they_are_to_be_kept(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "For everyone.", visibility="organisation")
    change = "Memory.objects.update(topic='changed')"
    with_topic = "assert [m.topic for m in Memory.objects.all()] == ['%s']"
    typed(here, change)
    typed(here, with_topic % "")
    typed(here, change, keep=True)
    typed(here, with_topic % "changed")


def test_who_is_not_there_is_named(lasting_world: World) -> None:
    here = lasting_world.here
    with pytest.raises(CommandError, match="has no member oskar@"):
        typed(here, COUNT, member="oskar@elsewhere.example")
    with pytest.raises(CommandError, match="There is no organisation nowhere"):
        call_command("shell_as", command=COUNT, organisation="nowhere")
