"""The watcher of `tests/scope_contract.py` sees whatever breaks the contract of a scope."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from tests.conftest import scope_watchers
from tests.scope_contract import EXCEPTIONS, ROOT
from tests.world import World

PRODUCT = """
from django.db import connection, transaction
from orgs.database.prepared_statements import fetch_all, fetch_last
from orgs.database.rls import Scope, fetch_in_scope, organisation_scope, scope_statement
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation

MEMBERS = "SELECT count(*) FROM orgs_member"

def orm_without(here, there):
    Member.objects.count()

def cursor_without(here, there):
    with connection.cursor() as cursor:
        cursor.execute(MEMBERS)

def prepared_without(here, there):
    fetch_all(MEMBERS, {})

def list_without(here, there):
    list(Organisation.objects.values_list("id", flat=True))

def after_the_scope(here, there):
    with organisation_scope(here):
        rows = Member.objects.all()
    rows.count()

def in_two_scopes(here, there):
    with transaction.atomic():
        for one in (here, there):
            with organisation_scope(one):
                Member.objects.count()

def nested(here, there):
    with organisation_scope(here):
        Member.objects.count()
        fetch_in_scope(Scope(organisation=there), MEMBERS, {})
        Member.objects.count()

def one_after_the_other(here, there):
    for one in (here, there):
        with organisation_scope(one):
            Member.objects.count()
        fetch_in_scope(Scope(organisation=one), MEMBERS, {})
    with transaction.atomic():
        with organisation_scope(here):
            Member.objects.count()

def in_one_message(here, there):
    fetch_last([scope_statement(Scope(organisation=here)), (MEMBERS, {})])

def accounts(here, there):
    fetch_all("SELECT count(*) FROM orgs_user", {})
"""


def play(name: str, world: World, path: str = "orgs/invented.py") -> list[str]:
    """What the watcher says of this function, as if it stood in the product."""
    module: dict[str, Any] = {}
    exec(compile(PRODUCT, str(ROOT / path), "exec"), module)  # noqa: S102
    act: Callable[[UUID, UUID], None] = module[name]
    (watcher,) = scope_watchers
    assert watcher.breaches == []
    act(world.here.id, world.there.id)
    found, watcher.breaches = watcher.breaches, []
    return [breach.what for breach in found]


@pytest.mark.parametrize(
    "name",
    [
        *("orm_without", "cursor_without", "prepared_without", "list_without"),
        *("after_the_scope",),
    ],
)
def test_a_statement_without_an_organisation_is_seen(name: str, world: World) -> None:
    assert play(name, world) == ["No organisation was named before this statement."]


@pytest.mark.parametrize("name", ["in_two_scopes", "nested"])
def test_a_second_organisation_in_a_transaction_is_seen(name: str, world: World) -> None:
    (what,) = play(name, world)
    assert str(world.here.id) in what


@pytest.mark.parametrize("name", ["one_after_the_other", "in_one_message", "accounts"])
def test_one_organisation_a_transaction_is_right(name: str, world: World) -> None:
    assert play(name, world) == []


def test_the_module_of_exceptions_may_ask_without(world: World) -> None:
    path = str(EXCEPTIONS.relative_to(ROOT))
    assert EXCEPTIONS.exists()
    assert play("list_without", world, path) == []
    assert play("in_two_scopes", world, "orgs/placement/other.py")


def test_it_knows_the_tables_and_functions_of_the_organisations(world: World) -> None:
    (watcher,) = scope_watchers
    known = watcher.tenants
    assert {"orgs_organisation", "orgs_member", "memories_memory", "robots_robot"} <= known
    assert any(name.startswith("search.") for name in known)
    assert "orgs_user" not in known
    assert watcher.needs_organisation('SELECT 1 FROM "memories_memory"')
    function = next(name for name in known if name.startswith("search."))
    assert watcher.needs_organisation(f"SELECT * FROM {function}(%s)")


def test_the_tests_themselves_may_look_past_it(world: World) -> None:
    from orgs.models.memberships import Member

    (watcher,) = scope_watchers
    before = watcher.seen
    Member.objects.count()
    assert watcher.seen > before
    assert watcher.breaches == []
