"""When two texts are one result: the same words, or nearly the same and nothing against it. Pure.

What collapses here collapses in one answer only; nothing is deleted, and what only looks alike is
kept apart: sentences that contradict each other lie close together in meaning.
"""

import re

from memories.language.budget import A_TEXT

_NOT_A_WORD = re.compile(r"[^\w%€$£+-]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|none|nobody|nothing|never|neither|nor|without|cannot|isn't|aren't|wasn't"
    r"|weren't|don't|doesn't|didn't|won't|can't|couldn't|shouldn't|wouldn't|hasn't|haven't|hadn't"
    r"|isnt|dont|doesnt|didnt|wont|cant|unless|refus\w*|reject\w*|den(?:y|ied|ies))\b"
)
# Where one text has only the one and the other only its counterpart, they do not say the same.
_OPPOSITES = tuple(
    tuple(re.compile(rf"\b(?:{side})\b") for side in pair.split(" / "))
    for pair in (
        r"above|over|more|higher|increas\w*|up / below|under|less|lower|decreas\w*|down",
        r"before|earlier|first / after|later|last",
        r"accept\w*|approv\w*|allow\w* / reject\w*|refus\w*|forbid\w*|denied|denies",
        r"enabl\w*|open\w*|start\w*|on / disabl\w*|clos\w*|stop\w*|off",
        r"all|every|always / some|none|never",
        r"likes?|loves?|prefers? / dislikes?|hates?|avoids?",
        r"true|right|correct|yes / false|wrong|incorrect|no",
        r"man|men|boys?|he|his|him / woman|women|girls?|she|her|hers",
    )
)


def normalised(text: str) -> str:
    """Without case, punctuation and spacing; a text of nothing else stays as it is."""
    return _NOT_A_WORD.sub(" ", text.casefold()).strip() or text.strip()


def contradict(one: str, other: str) -> bool:
    """Whether two similar texts differ where it matters: numbers, negation, opposites.

    Rather once too often: what is not collapsed is merely read twice. So are very long texts.
    """
    if max(len(one), len(other)) > A_TEXT:
        return True
    first, second = one.casefold().replace("’", "'"), other.casefold().replace("’", "'")
    if sorted(_NUMBER.findall(first)) != sorted(_NUMBER.findall(second)):
        return True
    if len(_NEGATION.findall(first)) != len(_NEGATION.findall(second)):
        return True
    return any(
        _only(one_side, first, second) and _only(other_side, second, first)
        for pair in _OPPOSITES
        for one_side, other_side in (pair, pair[::-1])
    )


def _only(side: re.Pattern[str], here: str, there: str) -> bool:
    return bool(side.search(here)) and not side.search(there)
