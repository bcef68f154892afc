"""What a gate holds back, in words, and its text with invisible signs made visible."""

from itertools import pairwise
from typing import Any

from memories.review.models import Cause, Proposal
from memories.safety.findings import Kind, Personal, Poison
from memories.safety.gate import WITHHELD
from memories.safety.plain_text import is_unseen

# One of them, several.
WORDS: dict[Kind, tuple[str, str]] = {
    Personal.PERSON: ("the name of a person", "names of persons"),
    Personal.ADDRESS: ("a street address", "street addresses"),
    Personal.BRAND_ADDRESS: ("a shop with its address", "shops with their addresses"),
    Personal.ORGANISATION: ("the name of a client or company", "names of clients or companies"),
    Personal.EMAIL: ("an e-mail address", "e-mail addresses"),
    Personal.PHONE: ("a telephone number", "telephone numbers"),
    Personal.CARD: ("the number of a card", "numbers of cards"),
    Personal.IBAN: ("the number of a bank account", "numbers of bank accounts"),
    Personal.IP: ("the address of a machine", "addresses of machines"),
    Personal.SSN: ("an identity number", "identity numbers"),
    Personal.API_KEY: ("a secret key", "secret keys"),
    Personal.PRIVATE: ("something private of a person", "private things of persons"),
    Poison.ORDER: ("an order to the robot that reads it", "orders to the robot that reads it"),
    Poison.ROLE: ("words that give the robot another role", "words that give robots other roles"),
    Poison.TOOL_CALL: ("a call of a tool", "calls of tools"),
    Poison.EXFILTRATION: ("a way to carry data out", "ways to carry data out"),
    Poison.HIDDEN: ("signs that nobody sees", "runs of signs that nobody sees"),
    Poison.ENCODED: ("something encoded", "encoded parts"),
    Poison.AUTHORITY: ("a claim to speak for somebody in charge", "claims to be in charge"),
    Poison.DELAYED: ("an order for later", "orders for later"),
}
KINDS = {one.value: one for one in WORDS}
BROKE = "The check itself failed, so nobody knows what else is in it."
NOTES = {
    Cause.PERSONAL_DATA: "Everybody but the member for whom it was written sees the kind in the "
    "place of the words. It is published like that.",
    Cause.POISON: "No robot has been answered from it. Letting it through publishes it as it "
    "stands here.",
}


def why(item: Proposal, name: str) -> str:
    """Why it is here, in one sentence. name: who wrote it."""
    wrote = f"{name or 'Somebody'} wrote"
    if item.cause == Cause.PERSONAL_DATA:
        return f"{wrote} something personal for more people than it is about"
    return f"{wrote} what may steer the robots that read it"


def about(item: Proposal, original: str | None) -> dict[str, Any]:
    """For memories/review/item.html."""
    told, text = item.details, item.memory.content
    return {
        "pieces": pieces(text, told.get("spans", [])),
        "found": sentences(told),
        "note": "" if text == WITHHELD else NOTES[Cause(item.cause)],
        "original": original,
    }


def sentences(told: dict[str, Any]) -> list[str]:
    """How often each kind was found."""
    found = []
    for name, times in told.get("found", {}).items():
        one, several = WORDS[KINDS[name]]
        found.append(one.capitalize() if times == 1 else f"{times:,} {several}")
    return [*found, BROKE] if told.get("failed") else found


def pieces(text: str, spans: list[list[Any]]) -> list[dict[str, str]]:
    """The text in parts; those in which something was found have its kind in words."""
    whole = [(start, end, WORDS[KINDS[kind]][0]) for start, end, kind in spans if end <= len(text)]
    cuts = sorted({0, len(text), *(start for start, _, _ in whole), *(end for _, end, _ in whole)})
    return [
        {
            "text": revealed(text[start:end]),
            "kind": next((kind for a, b, kind in whole if a <= start and end <= b), ""),
        }
        for start, end in pairwise(cuts)
    ]


def revealed(text: str) -> str:
    """The text, with each invisible sign replaced by its number."""
    return "".join(f"⟨U+{ord(sign):04X}⟩" if is_unseen(sign) else sign for sign in text)
