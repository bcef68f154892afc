"""A member's news: what they hold, whom they tell nothing, mails; what a page shows anew (X15)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from memories.curation.review_decisions import ReviewDecision, approve_item, reject_item
from memories.jobs.job_queue import enqueue_job
from memories.jobs.models import Job, JobType
from memories.news import news_mail
from memories.news.member_news import count_news, count_unseen, load_news, mark_seen
from memories.news.news_mail import ending_token, send_due_mails
from memories.review.propose import report_memory
from orgs.errors import NotFoundError
from orgs.members.member_settings import set_news_mail
from orgs.members.members import remove_member
from orgs.models.memberships import Member
from orgs.models.organisations import GroupMembership
from orgs.principals import Actor, resolve_principal
from personas.associations.association_changes import (
    confirm_association,
    delete_association,
    ensure_association,
)
from personas.models.personas import Association
from tests.memories.curation.test_decide import propose
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("X15")


@pytest.fixture(autouse=True)
def smtp(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example"


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def news_counts(here: Tenant, name: str = "bob") -> tuple[int, int, int]:
    count = count_news(here.person(name), None)
    return count.decided, count.reported, count.jobs


def decided(here: Tenant, text: str = "The office closes at six.") -> Any:
    item = propose(here, content=text)
    return approve_item(
        here.person("chidi"), item.id, ReviewDecision(version=1), now=timezone.now()
    )


def test_what_others_decide_report_and_end_is_news(world: World) -> None:
    here, now = world.here, timezone.now()
    assert news_counts(here) == (0, 0, 0)
    propose(here, content="It waits.")
    decided(here)
    said = here.remember(here.person("bob"), "The lift is broken.", group="launch").id
    report_memory(here.person("mina"), said, reason="It runs.", now=now)
    principal = resolve_principal(here.person("bob"))
    with principal.scope():
        jobs = [enqueue_job(principal, JobType.EXPORT, {}, total=1, now=now) for _ in range(3)]
        for job, state in zip(jobs, ("done", "dead", "running"), strict=True):
            ended = None if state == "running" else now
            Job.objects.filter(id=job.id).update(state=state, finished_at=ended)
    assert news_counts(here) == (1, 1, 2)
    page = response_text(make_signed_in_client(here, "bob").get("/me/news/"))
    for words in (
        *("Your proposal", "Somebody reported what you wrote", "The lift is broken."),
        *("Your job is done", "Your job stopped before its end"),
    ):
        assert words in page, words


def test_what_one_did_oneself_is_no_news(world: World) -> None:
    here, now = world.here, timezone.now()
    said = here.remember(here.person("bob"), "The lift is broken.", group="launch").id
    item = report_memory(here.person("bob"), said, reason="It runs.", now=now)
    reject_item(here.person("bob"), item.id, ReviewDecision(version=1, reason="No."), now=now)
    assert news_counts(here) == (0, 0, 0)
    item = propose(here)
    reject_item(here.person("chidi"), item.id, ReviewDecision(version=1, reason="No."), now=now)
    assert news_counts(here) == (1, 0, 0)


def test_nobody_else_is_told(world: World) -> None:
    here = world.here
    decided(here)
    for name in ("ada", "chidi", "mina", "vera"):
        assert news_counts(here, name) == (0, 0, 0), name
        page = response_text(make_signed_in_client(here, name).get("/me/news/"))
        assert "The office closes at six." not in page
    with pytest.raises(PermissionError):
        load_news(here.robot("aria"))
    with pytest.raises(PermissionError):
        mark_seen(here.robot("aria"), now=timezone.now())


def test_what_was_seen_is_new_no_more_and_looking_marks_nothing(world: World) -> None:
    here = world.here
    decided(here)
    bob = make_signed_in_client(here, "bob")
    for _ in range(2):
        page = response_text(bob.get("/me/news/"))
        assert "The office closes at six." in page
        assert "decided by Chidi" in page
        assert "Approved" in page
        assert "I have seen it" in page
    assert count_unseen(here.person("bob")) == 1
    assert bob.post("/me/news/seen/").status_code == 302
    page = response_text(bob.get("/me/news/"))
    assert "The office closes at six." in page
    assert "I have seen" not in page
    assert count_unseen(here.person("bob")) == 0
    decided(here, "The office opens at eight.")
    assert count_unseen(here.person("bob")) == 1


def test_a_line_goes_with_the_right_to_read_it(world: World) -> None:
    here, now = world.here, timezone.now()
    said = here.remember(here.person("bob"), "The lift is broken.", group="launch").id
    report_memory(here.person("mina"), said, reason="It runs.", now=now)
    assert news_counts(here) == (0, 1, 0)
    with resolve_principal(here.person("ada")).scope():
        GroupMembership.objects.filter(member=here.members["bob"]).delete()
    assert news_counts(here) == (0, 0, 0)
    assert load_news(here.person("bob")).reported == []


def test_mail_goes_to_who_asked_once_a_day_and_holds_no_text(world: World) -> None:
    here = world.here
    decided(here)
    now = timezone.now()
    assert send_due_mails(here.id, now=now) == 0, "nobody asked for it"
    set_news_mail(here.person("bob"), on=True, now=now)
    assert send_due_mails(here.id, now=now) == 0, "what was before is no news"
    decided(here, "The office opens at eight.")
    later = timezone.now()
    assert send_due_mails(here.id, now=later) == 1
    (sent,) = mail.outbox
    with resolve_principal(here.person("bob")).scope():
        member = Member.objects.select_related("user").get(id=here.members["bob"].id)
    assert sent.to == [member.user.email]
    assert "- 1 of your proposals was decided" in sent.body
    assert "opens at eight" not in sent.body + sent.subject
    assert "reported" not in sent.body
    end = re.search(r"No more mails like this: (\S+)", str(sent.body))
    assert end is not None
    assert sent.extra_headers["List-Unsubscribe"] == f"<{end[1]}>"
    decided(here, "The office smells of coffee.")
    almost = later + news_mail.PERIOD - timedelta(seconds=1)
    assert send_due_mails(here.id, now=almost) == 0
    assert send_due_mails(here.id, now=later + news_mail.PERIOD) == 1
    assert send_due_mails(here.id, now=later + 2 * news_mail.PERIOD) == 0, "nothing new"


QSR = "qsr_real_estate"


def associate_persona(here: Tenant, actor: Actor, name: str = "bob") -> Association:
    member = None if actor.member_id == here.members[name].id else str(here.members[name].id)
    return ensure_association(
        actor, member=member, handle=QSR, confidence=0.5, now=timezone.now()
    ).association


def persona_news(here: Tenant, name: str = "bob") -> int:
    return count_news(here.person(name), None).personas


def test_what_a_robot_says_that_one_does_is_news_until_it_is_answered(world: World) -> None:
    here = world.here
    said = associate_persona(here, here.robot("aria"))
    bob = make_signed_in_client(here, "bob")
    assert (persona_news(here), count_unseen(here.person("bob"))) == (1, 1)
    page = plain(response_text(bob.get("/me/news/")))
    for words in (
        *("Real Estate in QSR", "Aria says that this is what you do"),
        *("Waits for your yes", "I have seen it"),
    ):
        assert words in page, words
    assert bob.get("/live/").json()["news"] == "1"
    # Seen on the same day on which it was said: the association itself tells only the day.
    bob.post("/me/news/seen/")
    assert count_unseen(here.person("bob")) == 0
    assert "I have seen" not in response_text(bob.get("/me/news/"))
    # A curator's yes makes it count, and that is told.
    confirm_association(here.person("chidi"), said.id, now=timezone.now())
    assert count_unseen(here.person("bob")) == 1
    page = plain(response_text(bob.get("/me/news/")))
    assert "You have it" in page
    assert "Waits for your yes" not in page
    confirm_association(here.person("bob"), said.id, now=timezone.now())
    assert count_unseen(here.person("bob")) == 0
    assert "I have seen" not in response_text(bob.get("/me/news/"))
    delete_association(here.person("bob"), said.id, now=timezone.now())
    assert "Real Estate" not in response_text(bob.get("/me/news/")), "it goes with what it is about"


def test_what_one_says_of_oneself_is_no_news_and_nobody_else_is_told(world: World) -> None:
    here = world.here
    associate_persona(here, here.person("mina"), "mina")
    assert persona_news(here, "mina") == 0
    mina = make_signed_in_client(here, "mina")
    assert "this is what you do" not in response_text(mina.get("/me/news/"))
    associate_persona(here, here.person("chidi"))
    page = plain(response_text(make_signed_in_client(here, "bob").get("/me/news/")))
    assert "A person says that this is what you do" in page
    assert persona_news(here) == 1
    for name in ("ada", "chidi", "mina", "vera"):
        assert persona_news(here, name) == 0, name
        page = response_text(make_signed_in_client(here, name).get("/me/news/"))
        assert "this is what you do" not in page, name


def test_a_mail_counts_what_others_say_that_one_does_and_names_nothing(world: World) -> None:
    here = world.here
    associate_persona(here, here.robot("aria"), "mina")
    set_news_mail(here.person("bob"), on=True, now=timezone.now())
    said = associate_persona(here, here.robot("aria"))
    assert send_due_mails(here.id, now=timezone.now()) == 1, "mina has not asked for mails"
    (sent,) = mail.outbox
    assert "- 1 persona that others say you have" in sent.body
    for word in ("Real Estate", "qsr", "aria"):
        assert word not in (sent.body + sent.subject).replace(sent.body.split("/end/")[1], "")
    assert "No more mails like this: " in sent.body
    later = timezone.now() + 2 * news_mail.PERIOD
    assert send_due_mails(here.id, now=later) == 0, "it is told once"
    confirm_association(here.person("bob"), said.id, now=timezone.now())
    assert persona_news(here) == 0


def test_without_a_server_for_mail_none_goes_and_the_page_says_so(
    world: World, settings: Any
) -> None:
    here, now = world.here, timezone.now()
    settings.EMAIL_HOST = ""
    set_news_mail(here.person("bob"), on=True, now=now)
    decided(here)
    assert send_due_mails(here.id, now=timezone.now()) == 0
    mina = make_signed_in_client(here, "mina")
    assert "This server sends no mail." in response_text(mina.get("/me/news/"))
    mina.post("/me/news/mail/", {"on": "1"})
    with resolve_principal(here.person("mina")).scope():
        assert Member.objects.get(id=here.members["mina"].id).news_mail_since is None


def test_a_mail_that_the_server_refuses_goes_an_hour_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, now = world.here, timezone.now()
    set_news_mail(here.person("bob"), on=True, now=now)
    decided(here)

    def refuse(*_: object, **__: object) -> int:
        raise ConnectionRefusedError

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.EmailMessage.send", refuse)
        assert send_due_mails(here.id, now=timezone.now()) == 0
    assert send_due_mails(here.id, now=timezone.now()) == 1


def test_the_address_in_a_mail_ends_them_without_a_sign_in(world: World) -> None:
    here, now = world.here, timezone.now()
    set_news_mail(here.person("bob"), on=True, now=now)
    bob = here.members["bob"]
    url = f"/news/mail/end/{ending_token(bob)}/"
    stranger = Client(enforce_csrf_checks=True)
    assert "Send me no more" in response_text(stranger.get(url))
    decided(here)
    assert "You get no more mails" in response_text(stranger.post(url))
    assert send_due_mails(here.id, now=timezone.now()) == 0
    assert stranger.post(url).status_code == 200
    for wrong in (ending_token(bob)[:-1], "x", ending_token(bob).replace(":", "", 1)):
        assert stranger.get(f"/news/mail/end/{wrong}/").status_code == 404
    remove_member(here.person("ada"), member_id=bob.id, now=now)
    assert stranger.get(url).status_code == 404


def test_who_was_removed_gets_no_mail(world: World) -> None:
    here, now = world.here, timezone.now()
    set_news_mail(here.person("bob"), on=True, now=now)
    decided(here)
    remove_member(here.person("ada"), member_id=here.members["bob"].id, now=now)
    assert send_due_mails(here.id, now=timezone.now()) == 0
    with pytest.raises(NotFoundError):
        news_mail.find_mailed_member(ending_token(world.there.members["bob"])[:-2])


def test_two_workers_send_one_mail(world: World) -> None:
    here = world.here
    set_news_mail(here.person("bob"), on=True, now=timezone.now())
    decided(here)
    with resolve_principal(here.person("bob")).scope():
        member = Member.objects.select_related("user").get(id=here.members["bob"].id)
    # Both have read the member before either wrote.
    sent = [news_mail.send_due_mail(member, "Here", timezone.now()) for _ in range(2)]
    assert sent == [True, False]
    assert len(mail.outbox) == 1


def test_who_comes_back_has_to_ask_for_mail_again(world: World) -> None:
    here, now, ada = world.here, timezone.now(), world.here.person("ada")
    set_news_mail(here.person("bob"), on=True, now=now)
    remove_member(ada, member_id=here.members["bob"].id, now=now)
    with resolve_principal(ada).scope():
        assert Member.objects.get(id=here.members["bob"].id).news_mail_since is None


def test_a_page_that_is_open_is_told_what_came(world: World) -> None:
    here = world.here
    first = here.remember(here.person("bob"), "The lift is broken.", group="launch").id
    bob, vera = make_signed_in_client(here, "bob"), make_signed_in_client(here, "vera")

    def newer(client: Client, query: str = "") -> str:
        return str(client.get(f"/live/?newest={first}{query}").json().get("newer", "not asked"))

    assert newer(bob) == ""
    here.remember(here.person("bob"), "The lift runs again.", group="launch", tags=["lift"])
    here.remember(here.person("bob"), "It has a new button.", visibility="private")
    assert newer(bob) == "2"
    assert newer(bob, "&tag=lift") == "1"
    assert newer(vera) == "", "what she does not read is not counted"
    assert newer(bob, "&q=lift") == "not asked"
    assert newer(bob, "&sort=text") == "not asked"
    assert bob.get("/live/?newest=nothing").json() == {"review": "", "news": ""}
    assert f'data-live-newest="{first}"' not in response_text(bob.get("/memories/?sort=text"))
    propose(here)
    assert make_signed_in_client(here, "chidi").get("/live/").json()["review"] == "1"
