"""What a gate holds back, in words, and its text with invisible signs made visible."""

from itertools import pairwise
from typing import Any

from memories.review.models import Proposal, ProposalCause
from memories.safety.check_text import WITHHELD_TEXT
from memories.safety.plain_text import is_invisible
from memories.safety.required_checks import FindingType, InjectionType, PersonalDataType

# One of them, several.
FINDING_LABELS: dict[FindingType, tuple[str, str]] = {
    PersonalDataType.PERSON: ("the name of a person", "names of persons"),
    PersonalDataType.ADDRESS: ("a street address", "street addresses"),
    PersonalDataType.BRAND_ADDRESS: ("a shop with its address", "shops with their addresses"),
    PersonalDataType.ORGANISATION: (
        "the name of a client or company",
        "names of clients or companies",
    ),
    PersonalDataType.EMAIL: ("an e-mail address", "e-mail addresses"),
    PersonalDataType.PHONE: ("a telephone number", "telephone numbers"),
    PersonalDataType.CARD: ("the number of a card", "numbers of cards"),
    PersonalDataType.IBAN: ("the number of a bank account", "numbers of bank accounts"),
    PersonalDataType.IP: ("the address of a machine", "addresses of machines"),
    PersonalDataType.SSN: ("an identity number", "identity numbers"),
    PersonalDataType.API_KEY: ("a secret key", "secret keys"),
    PersonalDataType.PRIVATE: ("something private of a person", "private things of persons"),
    InjectionType.ORDER: (
        "an order to the robot that reads it",
        "orders to the robot that reads it",
    ),
    InjectionType.ROLE: (
        "words that give the robot another role",
        "words that give robots other roles",
    ),
    InjectionType.TOOL_CALL: ("a call of a tool", "calls of tools"),
    InjectionType.EXFILTRATION: ("a way to carry data out", "ways to carry data out"),
    InjectionType.HIDDEN: ("signs that nobody sees", "runs of signs that nobody sees"),
    InjectionType.ENCODED: ("something encoded", "encoded parts"),
    InjectionType.AUTHORITY: ("a claim to speak for somebody in charge", "claims to be in charge"),
    InjectionType.DELAYED: ("an order for later", "orders for later"),
}
TYPE_BY_VALUE = {one.value: one for one in FINDING_LABELS}
CHECK_FAILED_NOTE = "The check itself failed, so nobody knows what else is in it."
CAUSE_NOTES = {
    ProposalCause.PERSONAL_DATA: "Everybody but the member for whom it was written sees the kind "
    "in the "
    "place of the words. It is published like that.",
    ProposalCause.POISON: "No robot has been answered from it. Letting it through publishes it "
    "stands here.",
}


def gate_reason_sentence(item: Proposal, name: str) -> str:
    """Why it is here, in one sentence. name: who wrote it."""
    wrote = f"{name or 'Somebody'} wrote"
    if item.cause == ProposalCause.PERSONAL_DATA:
        return f"{wrote} something personal for more people than it is about"
    return f"{wrote} what may steer the robots that read it"


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
        found.append(one.capitalize() if times == 1 else f"{times:,} {several}")
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
