"""Personas and blocks in words."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.urls import reverse
from django.utils.translation import gettext

from memories.safety.required_checks import PersonalDataType
from orgs.languages.page_text import format_number, join_names, lazy_text
from orgs.principals import Actor
from personas.blocks.block_views import BlockView
from personas.blocks.entries import BlockEntry
from personas.blocks.entry_weight import entry_weight, is_stale
from personas.blocks.layers import initial_text
from personas.browsing.block_history import VersionChanges
from personas.models.blocks import Block, Layer
from personas.models.personas import Association
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME

FINDING_LABELS = {
    PersonalDataType.PERSON: (lazy_text("the name of a person"), lazy_text("names of people")),
    PersonalDataType.ADDRESS: (lazy_text("a street address"), lazy_text("street addresses")),
    PersonalDataType.BRAND_ADDRESS: (
        lazy_text("a brand with its address"),
        lazy_text("brands with their addresses"),
    ),
    PersonalDataType.ORGANISATION: (
        lazy_text("the name of a client or company"),
        lazy_text("names of clients or companies"),
    ),
    PersonalDataType.EMAIL: (lazy_text("an e-mail address"), lazy_text("e-mail addresses")),
    PersonalDataType.PHONE: (lazy_text("a phone number"), lazy_text("phone numbers")),
    PersonalDataType.CARD: (lazy_text("a card number"), lazy_text("card numbers")),
    PersonalDataType.IBAN: (lazy_text("a bank account"), lazy_text("bank accounts")),
    PersonalDataType.IP: (lazy_text("an IP address"), lazy_text("IP addresses")),
    PersonalDataType.SSN: (lazy_text("an identity number"), lazy_text("identity numbers")),
    PersonalDataType.API_KEY: (
        lazy_text("a key that opens something"),
        lazy_text("keys that open something"),
    ),
    PersonalDataType.PRIVATE: (
        lazy_text("something private of a person"),
        lazy_text("private things of people"),
    ),
}
# The purpose of blocks, in words for people; robots read `block_description`.
LAYER_DESCRIPTIONS = {
    Layer.SHARED: lazy_text(
        "Patterns of questions, workflows that worked, figures that count. Never "
        "names of people, places, clients or companies, nor what is one person's alone. Who has "
        "this persona reads it, and so do their robots."
    ),
    Layer.GLOBAL: lazy_text(
        "What helps whomever a robot serves: workflows and rules of thumb. Never names "
        "of people, places, clients or companies. Robots add entries, those who curate write the "
        "text, and everybody reads it who has not opted out of sharing."
    ),
    Layer.HUMAN: lazy_text("Facts about you. Only you and your robot read them."),
    Layer.PROFILE: lazy_text(
        "Your goals, the figures that count for you, your habits. Name no "
        "person, place, client or company here. Only you and your robot read it."
    ),
}
INJECTION_LABELS = (
    lazy_text("something that would steer a robot"),
    lazy_text("things that would steer a robot"),
)
MAKER_LABELS = {
    "robot": lazy_text("By a robot"),
    "person": lazy_text("By a person"),
    "other": lazy_text("By a decision in review, a report, an erasure or age"),
}


class HasIndustryAndRole(Protocol):
    """A persona, or anything with its industry and role."""

    @property
    def industry(self) -> str: ...
    @property
    def role(self) -> str: ...


def persona_label(persona: HasIndustryAndRole) -> str:
    """ "Real Estate in QSR"."""
    return gettext("%(role)s in %(industry)s") % {
        "role": persona.role,
        "industry": persona.industry,
    }


def fading_label(age: timedelta, *, fresh_for: timedelta) -> str:
    """Why an entry counts less than others; empty while it counts in full."""
    if entry_weight(age, fresh_for=fresh_for) >= 1:
        return ""
    words = gettext("Not confirmed for %(days)s days") % {"days": format_number(age.days)}
    if is_stale(age, fresh_for=fresh_for):
        return gettext("%(words)s: it will be archived") % {"words": words}
    return gettext("%(words)s: counts less") % {"words": words}


def robot_label(entry: BlockEntry, actor: Actor) -> str:
    """Who said it. Only the member of a personal robot is told that it was theirs."""
    if entry.serves_id is not None and entry.serves_id == actor.member_id:
        return gettext("Your robot")
    if entry.author_id:
        return gettext("A person")
    return entry.robot or gettext(HIDDEN_ROBOT_NAME)


def confidence_label(value: float) -> str:
    """ "90 % sure"."""
    return gettext("%(value)s %% sure") % {"value": round(value * 100)}


def asserted_by(row: Association, actor: Actor) -> str:
    """Who says that a member has a persona."""
    robot = row.proposed_by
    if robot is None:
        return "you" if row.confirmed_by_id == actor.member_id else gettext("a person")
    return gettext("your robot") if robot.owner_id == actor.member_id else robot.name


def findings_phrase(kinds: Mapping[str, int]) -> str:
    """What the gate found, as a list in a sentence."""
    parts = []
    for kind, count in kinds.items():
        one, many = FINDING_LABELS.get(kind, INJECTION_LABELS)  # type: ignore[call-overload]  # a word like the enum's
        parts.append(one if count == 1 else f"{format_number(count)} {many}")
    return join_names(parts) or gettext("something that it does not name")


def block_context(shown: BlockView) -> dict[str, Any]:
    """A block for the pages. text: what was written. first: what robots read before that."""
    one, written = shown.block, bool(shown.entries or shown.block.own_text)
    handle = one.persona.handle if one.persona else ""
    name = one.member.name if one.member else ""
    return {
        "id": one.id,
        "title": block_title(one),
        "description": LAYER_DESCRIPTIONS.get(Layer(one.layer), shown.description),
        "text": shown.text if written else "",
        "first": "" if written else initial_text(one.layer, handle=handle, name=name),
        "characters": len(shown.text) if written else 0,
        "limit": shown.limit,
        "version": shown.version,
        "entries": len(shown.entries),
        "left_out": shown.left_out,
        "few": shown.few_teachers,
        "edit_url": reverse("block-edit", args=[one.id]),
        "versions_url": reverse("block-versions-page", args=[one.id]),
        "back_url": block_url(one),
        "above": breadcrumbs(one),
    }


def block_title(one: Block) -> str:
    """What a block is called on the pages."""
    match one.layer:
        case Layer.AGENT:
            return gettext("Instructions for every robot")
        case Layer.HUMAN:
            return gettext("What your robot knows of you")
        case Layer.PROFILE:
            return gettext("How you work")
        case Layer.GLOBAL:
            return gettext("What robots learned for everybody")
    return gettext("What robots learned about %(persona)s") % {
        "persona": persona_label(one.persona)
    }


def breadcrumbs(one: Block) -> list[tuple[str, str]]:
    """The pages above a block's own, each with its address."""
    match one.layer:
        case Layer.SHARED:
            return [
                (gettext("Personas"), reverse("personas-page")),
                (persona_label(one.persona), block_url(one)),
            ]
        case Layer.AGENT:
            return [
                (gettext("Robots"), reverse("robots-page")),
                (gettext("Instructions"), block_url(one)),
            ]
        case Layer.GLOBAL:
            return [(gettext("Personas"), reverse("personas-page"))]
    return [(gettext("My memories"), reverse("me")), (gettext("Your robot"), block_url(one))]


def block_url(one: Block) -> str:
    """The page on which a block stands."""
    match one.layer:
        case Layer.SHARED:
            return reverse("persona-page", args=[one.persona.handle])
        case Layer.GLOBAL:
            return reverse("personas-page")
    return reverse("instructions" if one.layer == Layer.AGENT else "me-robot")


def entry_rows(
    shown: BlockView, actor: Actor, *, now: datetime, fresh_for: timedelta, curates: bool
) -> list[dict[str, Any]]:
    """The lines of a block with what can be done about each."""
    return [
        {
            "id": one.id,
            "text": one.text,
            "robot": robot_label(one, actor),
            "learned_at": None if shown.few_teachers else one.learned_at,
            "confirmed_at": one.confirmed_at
            if one.confirmed_at > one.learned_at and not shown.few_teachers
            else None,
            "fading": "" if shown.few_teachers else fading_label(one.age(now), fresh_for=fresh_for),
            "url": reverse("memory-page", args=[one.id]),
            "report_url": reverse("memory-report", args=[one.id]),
            "hide_url": reverse("memory-forget", args=[one.id]) if curates else "",
            "confirm_url": reverse("block-entry-holds", args=[shown.block.id, one.id])
            if curates
            else "",
        }
        for one in shown.entries
    ]


def version_rows(rows: Iterable[VersionChanges]) -> list[dict[str, Any]]:
    """For personas/versions.html."""
    return [
        {
            "number": one.number,
            "at": one.made_at,
            "by": MAKER_LABELS[one.made_by],
            "entries": one.entries,
            "characters": one.characters,
            "added": one.added,
            "removed": one.removed,
            "reworded": one.reworded,
            "diff": one.diff,
        }
        for one in rows
    ]
