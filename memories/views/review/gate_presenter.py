"""What a gate holds back, in words, and its text with invisible signs made visible."""

from itertools import pairwise
from typing import Any

from django.utils.translation import gettext

from memories.review.models import Proposal, ProposalCause
from memories.safety.check_text import WITHHELD_TEXT
from memories.safety.plain_text import is_invisible
from memories.safety.required_checks import FindingType, InjectionType, PersonalDataType
from orgs.languages.page_text import format_number, lazy_text

# One of them, several.
FINDING_LABELS: dict[FindingType, tuple[str, str]] = {
    PersonalDataType.PERSON: (lazy_text("the name of a person"), lazy_text("names of persons")),
    PersonalDataType.ADDRESS: (lazy_text("a street address"), lazy_text("street addresses")),
    PersonalDataType.BRAND_ADDRESS: (
        lazy_text("a shop with its address"),
        lazy_text("shops with their addresses"),
    ),
    PersonalDataType.ORGANISATION: (
        lazy_text("the name of a client or company"),
        lazy_text("names of clients or companies"),
    ),
    PersonalDataType.EMAIL: (lazy_text("an e-mail address"), lazy_text("e-mail addresses")),
    PersonalDataType.PHONE: (lazy_text("a telephone number"), lazy_text("telephone numbers")),
    PersonalDataType.CARD: (lazy_text("the number of a card"), lazy_text("numbers of cards")),
    PersonalDataType.IBAN: (
        lazy_text("the number of a bank account"),
        lazy_text("numbers of bank accounts"),
    ),
    PersonalDataType.IP: (
        lazy_text("the address of a machine"),
        lazy_text("addresses of machines"),
    ),
    PersonalDataType.SSN: (lazy_text("an identity number"), lazy_text("identity numbers")),
    PersonalDataType.API_KEY: (lazy_text("a secret key"), lazy_text("secret keys")),
    PersonalDataType.PRIVATE: (
        lazy_text("something private of a person"),
        lazy_text("private things of persons"),
    ),
    InjectionType.ORDER: (
        lazy_text("an order to the robot that reads it"),
        lazy_text("orders to the robot that reads it"),
    ),
    InjectionType.ROLE: (
        lazy_text("words that give the robot another role"),
        lazy_text("words that give robots other roles"),
    ),
    InjectionType.TOOL_CALL: (lazy_text("a call of a tool"), lazy_text("calls of tools")),
    InjectionType.EXFILTRATION: (
        lazy_text("a way to carry data out"),
        lazy_text("ways to carry data out"),
    ),
    InjectionType.HIDDEN: (
        lazy_text("signs that nobody sees"),
        lazy_text("runs of signs that nobody sees"),
    ),
    InjectionType.ENCODED: (lazy_text("something encoded"), lazy_text("encoded parts")),
    InjectionType.AUTHORITY: (
        lazy_text("a claim to speak for somebody in charge"),
        lazy_text("claims to be in charge"),
    ),
    InjectionType.DELAYED: (lazy_text("an order for later"), lazy_text("orders for later")),
}
TYPE_BY_VALUE = {one.value: one for one in FINDING_LABELS}
CHECK_FAILED_NOTE = lazy_text("The check itself failed, so nobody knows what else is in it.")
CAUSE_NOTES = {
    ProposalCause.PERSONAL_DATA: lazy_text(
        "Everybody but the member for whom it was written sees the kind "
        "in the "
        "place of the words. It is published like that."
    ),
    ProposalCause.POISON: lazy_text(
        "No robot has been answered from it. Letting it through publishes it stands here."
    ),
}


def gate_reason_sentence(item: Proposal, name: str) -> str:
    """Why it is here, in one sentence. name: who wrote it."""
    who = {"name": name or gettext("Somebody")}
    if item.cause == ProposalCause.PERSONAL_DATA:
        return gettext("%(name)s wrote something personal for more people than it is about") % who
    return gettext("%(name)s wrote what may steer the robots that read it") % who


def gate_context(item: Proposal, original: str | None) -> dict[str, Any]:
    """For memories/review/item.html."""
    told, text = item.details, item.memory.content
    return {
        "pieces": highlight_findings(text, told.get("spans", [])),
        "found": finding_sentences(told),
        "note": "" if text == WITHHELD_TEXT else CAUSE_NOTES[ProposalCause(item.cause)],
        "original": original,
    }


def finding_sentences(told: dict[str, Any]) -> list[str]:
    """How often each kind was found."""
    found = []
    for name, times in told.get("found", {}).items():
        one, several = FINDING_LABELS[TYPE_BY_VALUE[name]]
        found.append(one.capitalize() if times == 1 else f"{format_number(times)} {several}")
    return [*found, CHECK_FAILED_NOTE] if told.get("failed") else found


def highlight_findings(text: str, spans: list[list[Any]]) -> list[dict[str, str]]:
    """The text in parts; those in which something was found have its kind in words."""
    whole = [
        (start, end, FINDING_LABELS[TYPE_BY_VALUE[kind]][0])
        for start, end, kind in spans
        if end <= len(text)
    ]
    cuts = sorted({0, len(text), *(start for start, _, _ in whole), *(end for _, end, _ in whole)})
    return [
        {
            "text": reveal_invisible(text[start:end]),
            "kind": next((kind for a, b, kind in whole if a <= start and end <= b), ""),
        }
        for start, end in pairwise(cuts)
    ]


def reveal_invisible(text: str) -> str:
    """The text, with each invisible sign replaced by its number."""
    return "".join(f"⟨U+{ord(sign):04X}⟩" if is_invisible(sign) else sign for sign in text)
