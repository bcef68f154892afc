"""How long the pages take at 100,000 memories, and how many queries each makes.

Asked with Django's test client in this process: an admin who reads nearly everything, and a member
who reads a tenth. Wall time tells of the neighbours on the machine as well. So beside it stands the
time of the processor, of this process and of the process of the database that answers it; what
parallel workers do is not in it.
"""

import argparse
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.db import connection
from django.test import Client
from django.utils import timezone

from memories.evaluation.measures.metrics import percentile
from memories.evaluation.report.tables import Table
from memories.review.models import Proposal
from memories.store.models.choices import Status
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.page_client import count_queries
from tools.benchmarks.report import print_line
from tools.benchmarks.year_of_use import YearOfUse, fill_year_of_use

SIZE, QUICK_SIZE = 100_000, 1_000
REQUESTS, QUICK_REQUESTS = 7, 1
# What a page may take and ask.
MAX_MS, MAX_QUERIES = 150, 12


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    started = time.perf_counter()
    size = QUICK_SIZE if chosen.quick else SIZE
    made = fill_year_of_use(size)
    print_line(f"{size:,} memories filled in {time.perf_counter() - started:.0f} s")
    times = QUICK_REQUESTS if chosen.quick else REQUESTS
    found = [
        {"who": member.name, "page": name, **measure(client, url, times)}
        for member in (made.ada, made.mina)
        for client in (signed_in(made, member),)
        for name, url in page_urls(made, member)
    ]
    rows = [
        [
            *(f["who"], f["page"], f["queries"]),
            *(f["ms"], f["least"], f["own"], f["database"], f["processor"]),
            "" if f["processor"] <= MAX_MS and f["queries"] <= MAX_QUERIES else "over",
        ]
        for f in found
    ]
    columns = ["who", "page", "queries", "ms p50", "ms least", "own ms", "database ms", "both", ""]
    note = (
        f"{times} requests each after one to warm up. Own, database: processor time of this process"
        f" and of the database's, of the request that took the least of both. Over: more than"
        f" {MAX_MS} ms of it, or more than {MAX_QUERIES} queries."
    )
    return found, [Table(f"Pages among {size:,} memories", columns, rows, note)]


def signed_in(made: YearOfUse, member: Member) -> Client:
    with organisation_scope(made.organisation.id):
        user = Member.objects.select_related("user").get(id=member.id).user
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return client


def backend_seconds() -> float:
    """Processor time so far of the database's process that answers this one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def measure(client: Client, url: str, times: int) -> dict[str, Any]:
    """Milliseconds and queries of one address."""
    client.get(url)
    found = []
    for _ in range(times):
        theirs, started, own = backend_seconds(), time.perf_counter(), time.process_time()
        answer = client.get(url)
        whole, own = time.perf_counter() - started, time.process_time() - own
        theirs = backend_seconds() - theirs
        assert answer.status_code == 200, (url, answer.status_code)
        found.append((own + theirs, own, theirs, whole))
    both, own, theirs, _ = min(found)
    whole = [one[-1] * 1000 for one in found]
    return {
        "url": url,
        "queries": count_queries(client, url),
        "ms": percentile(whole, 0.5),
        "least": min(whole),
        "own": own * 1000,
        "database": theirs * 1000,
        "processor": both * 1000,
    }


def page_urls(made: YearOfUse, member: Member) -> Iterator[tuple[str, str]]:
    """What a person opens, by a name."""
    group, person, robot = made.groups[1], made.people[5], made.robots[2]
    month = (timezone.now() - timedelta(days=30)).date()
    principal = resolve_principal(actor_of(member))
    readable = {made.everyone, made.own[member.id], *principal.audiences}
    seen = [m for m in made.memories if m.status == Status.ACTIVE and m.audience_id in readable]
    middle = seen[len(seen) // 2].id
    yield "Overview", "/"
    yield "Memories", "/memories/"
    for name in ("text", "readers", "category", "age", "-use"):
        yield f"Memories by {name}", f"/memories/?sort={name}"
    yield "Memories, each", "/memories/?each=1"
    yield "Memories, each by age", "/memories/?each=1&sort=-age"
    yield "Memories, page in the middle", f"/memories/?before={middle}"
    narrowed = {
        "group": group.id, "member": person.id, "robot": robot.id, "category": "decision",
        "type": "conversation", "kind": "group", "tier": "slow", "tag": "t7", "since": month,
        "until": month, "status": "archived",
    }  # fmt: skip
    for name, value in narrowed.items():
        yield f"Memories, {name}", f"/memories/?{name}={value}"
    yield "Memories, nothing fits", "/memories/?category=sentiment&tag=none"
    yield "Memories, by words in the archive", "/memories/?status=archived&q=bacor"
    yield "Memories, a question", f"/memories/?q={quote(seen[7].content[:40])}"
    yield "A memory", f"/memories/{middle}/"
    talk = next(m for m in reversed(seen) if m.conversation and m.conversation[0] == "g")
    yield "A long conversation", f"/memories/{talk.id}/thread/"
    yield "My memories", "/me/"
    for view in ("by", "shared", "forgotten"):
        yield f"My memories, {view}", f"/me/?show={view}"
    yield "My memories, everything", "/me/?all=1"
    yield "My memories, words", "/me/?q=bacor"
    yield "Review", "/review/"
    yield "Review, decided", "/review/?show=decided"
    yield "Review, these disagree", "/review/?show=waiting&cause=contradiction"
    if made.ada is member:
        yield from _items(made)
    yield from _other_pages(made)
    if made.ada is member:
        yield "Robots", "/robots/"
        yield "Traces", "/robots/traces/"
        yield "Audit", "/audit/"
        yield "Audit, person", "/audit/?person=Ada"
        yield "Audit, act", "/audit/?act=memory.shared"
        yield "Audit, a memory", f"/memories/{middle}/trail/"
        yield "Playground", "/playground/"


def _other_pages(made: YearOfUse) -> Iterator[tuple[str, str]]:
    yield "Shared knowledge", "/knowledge/"
    yield "Shared knowledge, category", "/knowledge/?category=org_policy"
    yield "Who knows what", "/experts/"
    yield "Who knows what, a topic", "/experts/?topic=subject3"
    yield "Who said what", "/said/"
    yield "Decisions", "/decisions/"
    yield "People", "/people/"
    yield "A group", f"/people/groups/{made.groups[1].id}/"
    yield "A robot", f"/robots/{made.robots[2].id}/"
    yield "Personas", "/personas/"
    yield "Tags", "/tags/"
    yield "Trash", "/trash/"
    yield "Tiers", "/tiers/"
    yield "Jobs", "/jobs/"
    yield "Palette", "/palette/?q=ba"


def _items(made: YearOfUse) -> Iterator[tuple[str, str]]:
    with resolve_principal(actor_of(made.ada)).scope():
        for cause in ("duplicate", "contradiction", "correction", "report"):
            item = Proposal.objects.filter(cause=cause, state="open").order_by("id").first()
            if item:
                yield f"Review, a {cause}", f"/review/{item.id}/"
