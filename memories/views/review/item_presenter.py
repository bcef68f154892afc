"""Items of the review queue in words."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from memories.access.audience_summary import AudienceSummary
from memories.browsing.word_diff import diff_words
from memories.curation.copy_and_merge import joined_text
from memories.curation.review_pages import ReviewItemPage
from memories.language.excerpts import excerpt
from memories.restatement.models import RestatementSource
from memories.review.models import (
    AUTO_MERGED,
    BY_POLICY,
    GATE_CAUSES,
    PAIR_CAUSES,
    Proposal,
    ProposalCause,
    ProposalState,
)
from memories.state.supersede_wishes import WishEffect
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.views import memory_presenter, origin_presenter
from memories.views.review import changed, decision_buttons, gate_presenter
from orgs.languages.page_text import choice_label, format_number, lazy_text
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME

STATE_TONES = {
    ProposalState.OPEN: "warn",
    ProposalState.APPROVED: "good",
    ProposalState.MERGED: "good",
    ProposalState.REJECTED: "bad",
}
BY_ITSELF_LABELS = {
    AUTO_MERGED: lazy_text("Merged by itself"),
    BY_POLICY: lazy_text("Decided by policy"),
}
POLICY_SENTENCES = {
    "newest_of_own_facts": lazy_text(
        "Both say something of who said them, so what they said last holds. The "
        "older one stays and says until when it was true."
    ),
    "newest_of_same_speaker": lazy_text(
        "One person said both, so what they said last holds. The older one "
        "stays and says until when it was true."
    ),
}
_PAIR_SENTENCES = {
    ProposalCause.DUPLICATE: lazy_text("These two look like the same"),
    ProposalCause.CONTRADICTION: ProposalCause.CONTRADICTION.label,
}
_FORMER_PAIR_SENTENCES = {
    ProposalCause.DUPLICATE: lazy_text(
        "These two looked like the same before one of them was changed"
    ),
    ProposalCause.CONTRADICTION: lazy_text("These disagreed before one of them was changed"),
}
_MENTION_SENTENCE = lazy_text("It named somebody who was erased; the name is hidden")


def proposer_name(item: Proposal, me: object) -> str:
    """Who asks for it."""
    if item.proposed_by_id:
        return gettext("You") if item.proposed_by_id == me else item.proposed_by.name
    if item.robot is None:
        return ""
    if me and item.robot.owner_id == me:
        return gettext("Your robot")
    told = item.memory.told(item.robot)
    return origin_presenter.robot_name(told) if told else gettext(HIDDEN_ROBOT_NAME)


def reason_sentence(item: Proposal, me: object, organisation: str) -> str:
    """Why it is here, in one sentence."""
    name = proposer_name(item, me)
    told = {"name": name or gettext("Somebody"), "organisation": organisation}
    you = name == gettext("You")
    match item.cause:
        case ProposalCause.PUBLISH:
            return (
                gettext("%(name)s suggest this for everyone in %(organisation)s")
                if you
                else gettext("%(name)s suggests this for everyone in %(organisation)s")
            ) % told
        case ProposalCause.CORRECTION:
            told["what"] = gettext("another text") if item.content else gettext("a change")
            return (
                gettext("%(name)s suggest %(what)s")
                if you
                else gettext("%(name)s suggests %(what)s")
            ) % told
        case ProposalCause.REPORT:
            if item.text_changed:
                words = gettext("%(name)s said that an earlier text is wrong or should not be here")
            elif you:
                words = gettext("%(name)s say that this is wrong or should not be here")
            else:
                words = gettext("%(name)s says that this is wrong or should not be here")
            return words % told
        case ProposalCause.RETURN:
            return gettext("You forgot this, and %(name)s brings it again") % {
                "name": name or gettext("an import")
            }
        case ProposalCause.RED_LINE:
            told["what"] = (
                gettext("the protection ends")
                if changed.is_lifting(item)
                else gettext("this is protected")
            )
            return (
                gettext("%(name)s ask that %(what)s")
                if you
                else gettext("%(name)s asks that %(what)s")
            ) % told
    return _finding_reason(item, name)


def _finding_reason(item: Proposal, name: str) -> str:
    """What nobody asked for. name: who wrote it."""
    if item.cause in GATE_CAUSES:
        return gate_presenter.gate_reason_sentence(item, name)
    if item.cause == ProposalCause.CAPACITY:
        return capacity_sentence(item)
    return _MENTION_SENTENCE if item.cause == ProposalCause.MENTION else pair_sentence(item)


def pair_sentence(item: Proposal) -> str:
    """Why two are side by side."""
    said = ""
    if item.details.get("found_by") == RestatementSource.LLM:
        said = gettext(", says a language model")
    elif item.robot_id or item.proposed_by_id:
        said = gettext(", says somebody who reads both")
    if item.text_changed:
        return _FORMER_PAIR_SENTENCES[ProposalCause(item.cause)] + said
    return _PAIR_SENTENCES[ProposalCause(item.cause)] + said


def capacity_sentence(item: Proposal) -> str:
    """How many there were and how many may be, when it was proposed."""
    told = item.details
    held, most = format_number(told["count"]), format_number(told["capacity"])
    if "label" in told:
        return gettext("%(label)s holds %(held)s of at most %(most)s characters") % {
            "label": told["label"],
            "held": held,
            "most": most,
        }
    return gettext("The %(tier)s tier holds %(held)s of at most %(most)s for these readers") % {
        "tier": told["tier"],
        "held": held,
        "most": most,
    }


def capacity_effect(item: Proposal) -> str:
    """What approving would do, in numbers of when it was proposed."""
    chosen, summaries = item.details["chosen"], item.details["summaries"]
    if "label" in item.details:
        them = ngettext("The least confirmed one", "The %(count)s least confirmed", chosen)
    else:
        them = ngettext("The least important one", "The %(count)s least important", chosen)
    them %= {"count": format_number(chosen)}
    if not summaries:
        return gettext("%(them)s would be archived and can be brought back.") % {"them": them}
    into = (
        gettext("one summary")
        if summaries == 1
        else gettext("%(summaries)s summaries") % {"summaries": format_number(summaries)}
    )
    return gettext(
        "%(them)s would become %(into)s; the originals are archived and can be brought back."
    ) % {"them": them, "into": into}


def _other_text(item: Proposal) -> str:
    """Of a pair what the older one says."""
    if item.cause not in PAIR_CAUSES or not item.other_id:
        return ""
    beside = gettext("Against") if item.cause == ProposalCause.CONTRADICTION else gettext("Beside")
    return f"{beside} “{excerpt(item.other.content, set(), 120)}”"


def state_badge(item: Proposal) -> dict[str, str]:
    label = BY_ITSELF_LABELS.get(item.decided_by_itself) or choice_label(ProposalState(item.state))
    return {"label": label, "tone": STATE_TONES.get(ProposalState(item.state), "")}


def item_line(
    item: Proposal, me: object, organisation: str, current: object = None
) -> dict[str, Any]:
    """One line of the list beside an item. current: the id of that item."""
    return {
        "id": item.id,
        "url": reverse("review-item", args=[item.id]),
        "text": excerpt(item.content or visible_text(item), set(), 140),
        "why": _other_text(item) or reason_sentence(item, me, organisation),
        "kind": choice_label(ProposalCause(item.cause)),
        "assignee": item.assignee.name if item.assignee else "",
        "at": item.created_at,
        "current": item.id == current,
    }


def item_row(
    item: Proposal, readers: AudienceSummary, me: object, organisation: str
) -> dict[str, Any]:
    """One line of a whole list."""
    return {
        "id": item.id,
        "url": reverse("review-item", args=[item.id]),
        "text": excerpt(item.content or visible_text(item), set(), 200),
        "why": _other_text(item) or reason_sentence(item, me, organisation),
        "kind": choice_label(ProposalCause(item.cause)),
        "at": item.created_at,
        "audience": memory_presenter.audience_badge(readers, item.memory),
        "state": state_badge(item),
        "assignee": item.assignee.name if item.assignee else "",
        "decision": item.decision,
        "decided_by": item.decided_by.name if item.decided_by else "",
        "decided_at": item.decided_at,
        "open": item.state == ProposalState.OPEN,
    }


def visible_text(item: Proposal) -> str:
    """Its text, with invisible signs made visible if a gate holds it."""
    text: str = item.memory.content
    return gate_presenter.reveal_invisible(text) if item.cause in GATE_CAUSES else text


def related_memory(memory: Memory, learned: str) -> dict[str, Any]:
    """What it would change or resembles. learned: who said it, where it comes from."""
    return {
        "id": memory.id,
        "choice": f"{memory.id}:{memory.version}",
        "content": excerpt(memory.content, set(), 1200),
        "whole": memory.content,
        "url": reverse("memory-page", args=[memory.id]),
        "version": memory.version,
        "learned": learned,
    }


def correction_diff(item: Proposal) -> list[dict[str, str]] | None:
    """What a correction changes, word by word; None for everything else."""
    if item.cause != ProposalCause.CORRECTION or not item.content:
        return None
    return diff_words(item.memory.content, item.content)


def pair_diff(older: str, newer: str) -> dict[str, list[dict[str, str]]] | None:
    """The words of two texts, with those marked that the other does not have; None if they share
    none, for then all of it would be marked."""
    parts = diff_words(older, newer)
    if not any(part["op"] == "same" for part in parts):
        return None
    return {
        "older": [part for part in parts if part["op"] != "ins"],
        "newer": [part for part in parts if part["op"] != "del"],
    }


def merge_form_context(context: dict[str, Any], form: Any, into: str) -> dict[str, str]:
    """What the form of merging shows: what was typed, else the texts of the two to be merged."""
    if form is not None:
        return {"into": form["into"].value() or "", "merged": form["content"].value() or ""}
    pair = context["item"]["is_pair"]
    texts = (one["text"] for one in context["together"] if pair or one["choice"] == into)
    return {"into": into, "merged": next(texts, "")}


_WISH_NOTES = {
    WishEffect.SUPERSEDED: lazy_text("True no more from then on, if you approve."),
    WishEffect.PROPOSED: lazy_text(
        "Somebody else’s. It stays, and an item of its own will ask about it."
    ),
    WishEffect.KEPT: lazy_text(
        "It stays as it is: it is protected or not in use, or not yours to change."
    ),
}


def _wishes_context(found: ReviewItemPage, me: object) -> dict[str, Any]:
    """What the text would replace, and how much more is named that the reader does not see."""
    wishes, n = found.wishes, found.wishes.unread
    more = (
        gettext("1 more that you do not see stays")
        if n == 1
        else gettext("%(n)s more that you do not see stay") % {"n": n}
    )
    return {
        "known": [
            {
                "content": excerpt(wish.memory.content, set(), 1200),
                "url": _memory_url(wish.memory),
                "learned": origin_presenter.origin_sentence(wish.memory, me),
                "note": _WISH_NOTES[wish.effect],
                "ends": wish.effect is WishEffect.SUPERSEDED,
            }
            for wish in wishes.known
        ],
        "unread": gettext("%(more)s as before.") % {"more": more} if n else "",
    }


def _memory_url(memory: Memory) -> str:
    return reverse("memory-page", args=[memory.id])


def _readers_badge(found: ReviewItemPage) -> dict[str, Any]:
    """Who would newly read it, else who reads it, with the address of each of them; nobody reads
    what was forgotten."""
    memory = found.item.memory
    if memory.status == Status.FORGOTTEN:
        return memory_presenter.audience_badge(found.readers, memory)
    sheet = reverse("review-readers", args=[found.item.id])
    return memory_presenter.audience_badge(found.readers) | {"sheet_url": sheet, "url": sheet}


def item_context(found: ReviewItemPage, me: object, organisation: str) -> dict[str, Any]:
    """For memories/review/item.html."""
    item, memory = found.item, found.item.memory
    buttons = decision_buttons.buttons_of_item(item)
    pair = item.cause in PAIR_CAUSES
    similar = [
        related_memory(one, origin_presenter.origin_sentence(one, me) if pair else "")
        for one in found.similar
    ]
    return {
        "item": {
            "id": item.id,
            "kind": choice_label(ProposalCause(item.cause)),
            "why": reason_sentence(item, me, organisation),
            "reason": item.reason,
            "at": item.created_at,
            "content": memory.content,
            "diff": correction_diff(item),
            "changed": changed.parts(item),
            "published": changed.published_parts(item, found.listeners, found.record, found.tasks),
            "is_older": item.cause == ProposalCause.CORRECTION
            and item.seen_version != memory.version,
            "seen": found.seen if item.cause != ProposalCause.CORRECTION else "",
            "url": reverse("memory-page", args=[memory.id]),
            "version": memory.version,
            "learned": origin_presenter.origin_sentence(memory, me),
            "category": memory_presenter.memory_category_label(memory),
            "state": state_badge(item),
            "open": item.state == ProposalState.OPEN,
            "held_by": item.locked_by.name if found.held and item.locked_by else "",
            "held_until": item.locked_until,
            "is_mine": found.mine,
            "assignee": item.assignee_id,
            "decision": item.decision,
            "by_policy": POLICY_SENTENCES.get(item.details[BY_POLICY], "")
            if item.decided_by_itself == BY_POLICY
            else "",
            "decided_by": item.decided_by.name if item.decided_by else "",
            "decided_at": item.decided_at,
            "is_careful": buttons["reject"].key == "a" and not pair,
            "is_many": item.cause == ProposalCause.CAPACITY,
            "would_become": capacity_effect(item) if item.cause == ProposalCause.CAPACITY else "",
            "is_wish": item.cause == ProposalCause.RED_LINE,
            "is_pair": pair,
            "disagrees": item.cause == ProposalCause.CONTRADICTION,
            "is_proposal": item.cause == ProposalCause.PUBLISH,
            "may_merge": found.merges or item.cause == ProposalCause.PUBLISH,
            "held": gate_presenter.gate_context(item, found.original)
            if item.cause in GATE_CAUSES
            else None,
        },
        "audience": _readers_badge(found),
        "wishes": _wishes_context(found, me),
        "similar": similar,
        "like": [one for one in similar if one["id"] not in found.unlike],
        "unlike": [one for one in similar if one["id"] in found.unlike],
        "nothing_like_it": len(found.unlike) == len(similar),
        "sides": pair_diff(found.similar[0].content, memory.content)
        if pair and found.similar
        else None,
        "together": [
            {"choice": f"{other.id}:{other.version}", "text": joined_text(other, memory)}
            for other in found.similar
        ],
        "going": [
            {"text": excerpt(row.content, set(), 200), "url": _memory_url(row)}
            for row in found.going
        ],
        "going_more": max(0, found.going_count - len(found.going)),
        "suggestion": item.content or memory.content,
        "buttons": buttons,
        "asks_why": item.proposed_by_id not in (None, me),
        "ready": decision_buttons.READY_REASONS.get(ProposalCause(item.cause), ()),
    }
