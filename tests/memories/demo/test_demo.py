"""The demo organisation: rich enough for every page, quickly made, removed to the last row."""

import secrets
from collections import Counter
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from psycopg import sql

from memories.context.team_working_memory import get_team_state
from memories.context.working_memory import get_working_memory
from memories.curation.decision_records.decision_queries import DecisionQuery, list_decisions
from memories.demo.create_demo import create_demo, create_home_organisation
from memories.demo.delete_demo import NotADemoError, delete_demo
from memories.demo.teamwork import TEAM_ID
from memories.embedding import encoder_loading
from memories.embedding.minilm import load_minilm
from memories.indexing.embed_worker import embed_pending
from memories.review.models import Proposal, ProposalCause
from memories.review.waiting_count import count_waiting
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.accounts.sessions import actor_of, list_memberships
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.models.organisations import Group, Organisation
from orgs.models.users import User
from orgs.principals import Actor, resolve_principal
from personas.blocks.block_views import get_agent_block_view
from personas.learning.suggestions import list_suggestions
from personas.learning.trends import compute_trends
from robots.models.robots import Robot
from tests.databases import rolled_back_connection
from tests.isolation.catalogue import tenant_tables
from tests.world import World


def account(email: str) -> User:
    return User.objects.get(email=email)


def asking(email: str, slug: str) -> Actor:
    member = next(m for m, o in list_memberships(account(email)) if o.slug == slug)
    return actor_of(member)


@pytest.mark.timed(30)
@pytest.mark.conformance("W01")
def test_it_shows_something_on_every_page_and_nobody_what_is_not_theirs(db: None) -> None:
    made = create_demo(slug="demo-pages", now=timezone.now())
    chidi = resolve_principal(asking("chidi@demo.example", "demo-pages"))
    with chidi.scope():
        rows = list(Memory.objects.values_list("status", "kind", "type", "audience__kind"))
        proposals = Counter(Proposal.objects.values_list("cause", "state"))
        versions = Version.objects.values("memory_id").distinct().count()
        groups = Group.objects.count()
    statuses, kinds, types, audiences = (Counter(column) for column in zip(*rows, strict=True))
    assert sum(statuses.values()) >= 150
    assert statuses[Status.FORGOTTEN] >= 1
    assert statuses[Status.PENDING_REVIEW] >= 3
    assert {"organisation", "group"} <= set(kinds)
    assert {"conversation", "fact", "expertise", "announcement", "interaction", "preference"} == (
        set(types)
    )
    assert {"organisation", "group", "member", "explicit", "review"} <= set(audiences)
    assert proposals["publish", "open"] >= 3
    assert proposals["publish", "approved"] == 1
    kinds_that_wait = {cause for cause, state in proposals if state == "open"}
    assert kinds_that_wait >= {"report", "correction", "red_line", "personal_data", "poison"}
    # Twenty before any worker has looked for what is told twice or disagrees.
    assert count_waiting(asking("chidi@demo.example", "demo-pages")) >= 20
    assert versions >= 2
    assert groups == 5
    assert [user["role"] for user in made["users"]] == [
        *("admin", "curator", "member", "viewer"),
        # Of two personas.
        *("member", "member", "member"),
    ]
    readable = {}
    for name in ("ada", "mina", "vera"):
        principal = resolve_principal(asking(f"{name}@demo.example", "demo-pages"))
        with principal.scope():
            readable[name] = set(Memory.objects.values_list("content", flat=True))
    assert any("peanuts" in text for text in readable["ada"])
    assert not any("peanuts" in text for text in readable["mina"] | readable["vera"])
    assert not any("credit line" in text for text in readable["mina"] | readable["vera"])


@pytest.mark.timed(30)
@pytest.mark.conformance("W01")
def test_it_has_decisions_a_team_instructions_trends_and_a_suggestion(db: None) -> None:
    now = timezone.now()
    create_demo(slug="demo-rich", now=now)
    ada, chidi, mina = (
        asking(f"{name}@demo.example", "demo-rich") for name in ("ada", "chidi", "mina")
    )
    decisions = list_decisions(mina, DecisionQuery(), now=now)
    dissents = {said.is_open for one in decisions for said in one.dissents}
    assert len(decisions) == 2
    assert dissents == {True, False}, "one is answered, one stands"
    state = get_team_state(ada, TEAM_ID, now=now)
    assert state.count == 2
    assert len([*state.standing.active, *state.standing.passive]) == 2
    assert "Halyard" in get_agent_block_view(ada, now=now).text
    trends = compute_trends(mina, "qsr_real_estate", now=now)
    assert "rising" in {str(topic.found.trend) for topic in trends.topics}
    [suggested], _ = list_suggestions(chidi, now=now, limit=50)
    assert (suggested.origin, suggested.persona) == ("qsr_real_estate", "retail_real_estate")
    with organisation_scope(ada.organisation_id):
        aria = Robot.objects.get(name="Aria", organisation_id=ada.organisation_id)
    assert get_working_memory(ada, aria.public_id, now=now).count == 3


@pytest.mark.slow
@pytest.mark.conformance("W01")
def test_removed_to_the_last_row(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.person("mina"), "Bob meets Ada in Lisbon tomorrow.", group="launch")
    slug = f"demo-{secrets.token_hex(4)}"
    home = create_home_organisation(now=timezone.now(), slug=f"home-{slug}")
    owner = home["owner"]["email"]
    create_demo(slug=slug, now=timezone.now(), owner=owner)
    actor = asking(owner, slug)
    assert _rows_left(actor)["memories_memory"] > 200
    with pytest.raises(NotFoundError):
        delete_demo(
            asking("chidi@demo.example", slug), account("chidi@demo.example"), now=timezone.now()
        )
    others = _rows_of_others(actor)
    left = delete_demo(actor, account(owner), now=timezone.now())
    assert left is not None
    assert left.slug == home["owner"]["organisation"]
    assert {table: n for table, n in _rows_left(actor).items() if n} == {}
    changed = {table for table, rows in _rows_of_others(actor).items() if rows != others[table]}
    assert changed == {"orgs_auditentry"}, "the removal, in the audit trail of the admin's own"
    assert not User.objects.filter(email__endswith="@demo.example").exists()
    with organisation_scope(left.id):
        assert AuditEntry.objects.filter(action="demo.removed").count() == 1
        assert Member.objects.count() == 1
    with pytest.raises(NotADemoError):
        delete_demo(asking(owner, left.slug), account(owner), now=timezone.now())


@pytest.mark.slow
@pytest.mark.conformance("W21")
def test_the_pairs_that_disagree_are_found(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody reports them: the real encoder and the rules see both, and nothing else there."""
    monkeypatch.setattr(settings, "ENCODER", "minilm")
    monkeypatch.setitem(encoder_loading._encoders, "minilm", load_minilm())
    slug = f"demo-{secrets.token_hex(4)}"
    home = create_home_organisation(now=timezone.now(), slug=f"home-{slug}")
    owner = home["owner"]["email"]
    create_demo(slug=slug, now=timezone.now(), owner=owner)
    try:
        actor = asking(owner, slug)
        with resolve_principal(actor).scope():
            before = dict(Memory.objects.values_list("id", "status"))
        while embed_pending(actor.organisation_id, now=timezone.now()):
            pass
        with resolve_principal(actor).scope():
            found = Proposal.objects.filter(cause=ProposalCause.CONTRADICTION)
            pairs = set(found.values_list("memory__content", "other__content", "state"))
            duplicates = Proposal.objects.filter(cause=ProposalCause.DUPLICATE).count()
            after = dict(Memory.objects.values_list("id", "status"))
        new = "Since the spring customers can return a bag within 30 days, and we pay the postage."
        old = "Customers can return a bag within 14 days; later returns are refused."
        gifts = ("Gift cards expire after three years.", "Gift cards do not expire.", "open")
        assert pairs == {(new, old, "open"), gifts}
        assert duplicates == 2
        assert after == before
    finally:
        delete_demo(asking(owner, slug), account(owner), now=timezone.now())


def _rows_left(actor: Actor) -> dict[str, int]:
    """Counted past row-level security, by a superuser."""
    return _of_every_table("SELECT count(*) FROM {table} AS t WHERE {column} = %s", actor)


def _rows_of_others(actor: Actor) -> dict[str, str | None]:
    """A digest of all that belongs to other organisations."""
    digest = "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {table} AS t"
    return _of_every_table(f"{digest} WHERE {{column}} <> %s", actor)


def _of_every_table(query: str, actor: Actor) -> dict[str, Any]:
    found = {}
    with rolled_back_connection("admin") as connection:
        for table in tenant_tables(connection):
            column = "id" if table == "orgs_organisation" else "organisation_id"
            statement = sql.SQL(query).format(
                table=sql.Identifier(table), column=sql.Identifier(column)
            )
            found[table] = connection.execute(statement, [actor.organisation_id]).fetchone()[0]
    return found


def test_an_organisation_of_ones_own_is_not_removed(world: World) -> None:
    ada = world.here.person("ada")
    with pytest.raises(NotADemoError):
        delete_demo(ada, world.here.members["ada"].user, now=timezone.now())
    with organisation_scope(world.here.id):
        assert Organisation.objects.filter(id=world.here.id).exists()
