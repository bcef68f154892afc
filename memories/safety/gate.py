"""Judge a text before it reaches more people: may it pass, pass without some words, or must wait.

A gate fails closed: where a detector breaks, the text waits for a person.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any
from uuid import UUID

from memories.safety import detectors
from memories.safety.findings import Finding, Kind, masked
from memories.safety.known_names import known_names
from memories.safety.models import GatePolicy
from memories.safety.personal_data.known import KnownNames
from memories.safety.plain_text import PlainText, plain
from memories.safety.rules import LookedFor, Submission, WhenPersonal, looked_for
from memories.store.models.choices import HeldFor
from orgs import audit
from orgs.principals import Actor

logger = logging.getLogger(__name__)

# What others read where nobody knows which words of it are personal.
WITHHELD = "[not checked]"


class Action(StrEnum):
    PASS = "pass"  # noqa: S105 - a word of the contract
    SANITISE = "sanitise"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a text.

    text: as others may read it: what is personal stands as its kind in brackets. findings: where in
    the original. beside: what was found in its tags, its topic and other fields. held: for which
    gate it waits, empty unless the action is review. failed: a detector broke. looked: whether any
    gate looked at all.
    """

    action: Action
    text: str
    findings: tuple[Finding, ...] = ()
    beside: tuple[Kind, ...] = ()
    held: HeldFor | None = None
    failed: bool = False
    looked: bool = True

    @property
    def kinds(self) -> dict[str, int]:
        """How often each kind was found."""
        return dict(sorted(Counter([*(one.kind for one in self.findings), *self.beside]).items()))

    @property
    def word(self) -> str:
        """What the audit trail calls it."""
        if self.action is not Action.REVIEW:
            return {Action.PASS: "passed", Action.SANITISE: "sanitised"}[self.action]
        return "quarantined" if self.held is HeldFor.POISON else "held"


@dataclass(slots=True)
class _Found:
    findings: list[Finding] = field(default_factory=list)
    failed: bool = False


@dataclass
class Gate:
    """The gates of an organisation, for one call: names and policy are looked up once, when a text
    needs them. Use it inside a scope of the organisation."""

    organisation_id: UUID
    policy: WhenPersonal | None = None

    @cached_property
    def known(self) -> KnownNames:
        return known_names(self.organisation_id)

    @cached_property
    def when(self) -> WhenPersonal:
        if self.policy is not None:
            return self.policy
        rows = GatePolicy.objects.filter(organisation_id=self.organisation_id)
        found = rows.values_list("personal", flat=True).first()
        return WhenPersonal(found) if found else WhenPersonal.ABOUT_SOMEBODY

    def judge(
        self,
        text: str,
        given: Submission,
        *,
        beside: Iterable[str] = (),
        sanitise: bool = False,
    ) -> Verdict:
        """The verdict on a text of any length.

        beside: what is served with it (tags, topic, metadata). sanitise: what is personal is taken
        out, and the rest may pass.
        """
        wanted = looked_for(given, self.when) if _may_be_looked_at(given) else LookedFor()
        if not wanted:
            return Verdict(action=Action.PASS, text=text, looked=False)
        personal, poison = self._look(plain(text), wanted)
        others = [self._look(plain(one), wanted) for one in beside if one]
        failed_at_names = personal.failed or any(one.failed for one, _ in others)
        poisoned = [poison, *(one for _, one in others)]
        steers = any(one.failed or one.findings for one in poisoned)
        more = [one.kind for pair in others for side in pair for one in side.findings]
        tells = personal.findings or any(one.findings for one, _ in others)
        cleaned = WITHHELD if personal.failed else masked(text, personal.findings)
        if steers:
            action, held = Action.REVIEW, HeldFor.POISON
        elif failed_at_names or (tells and not sanitise):
            action, held = Action.REVIEW, HeldFor.PERSONAL_DATA
        else:
            action, held = (Action.SANITISE if tells else Action.PASS), None
        return Verdict(
            action=action,
            text=cleaned,
            findings=tuple(sorted([*personal.findings, *poison.findings])),
            beside=tuple(more),
            held=held,
            failed=failed_at_names or any(one.failed for one in poisoned),
        )

    def cleaned(self, text: str, given: Submission) -> str:
        """A text of a field beside, as others may read it."""
        wanted = looked_for(given, self.when)
        found, _ = self._look(plain(text), LookedFor(wanted.personal))
        return WITHHELD if found.failed else masked(text, found.findings)

    def _look(self, text: PlainText, wanted: LookedFor) -> tuple[_Found, _Found]:
        personal, poison = _Found(), _Found()
        if wanted.personal:
            personal = _safely(lambda: detectors.personal(text, self.known))
            personal.findings = [one for one in personal.findings if one.kind in wanted.personal]
        if wanted.poison:
            poison = _safely(lambda: detectors.poison(text))
        return personal, poison


def _may_be_looked_at(given: Submission) -> bool:
    """Whether any policy looks; most writes need no look at it."""
    return bool(looked_for(given, WhenPersonal.ALWAYS))


def _safely(find: Callable[[], Sequence[Finding]]) -> _Found:
    """What a detector found, or that it broke; the text is in no log."""
    try:
        return _Found(list(find()))
    except Exception as error:
        # A traceback may quote the text.
        logger.error("A gate's detector broke: %s", type(error).__name__)  # noqa: TRY400
        return _Found(failed=True)


def judge(organisation_id: UUID, text: str, given: Submission, **more: Any) -> Verdict:
    """The verdict on one text; see `Gate.judge`. Call inside a scope of the organisation."""
    return Gate(organisation_id).judge(text, given, **more)


def record_verdicts(
    verdicts: Mapping[UUID, tuple[Verdict, str]],
    *,
    actor: Actor,
    now: datetime,
    target_type: str = "memory",
) -> None:
    """Put into the audit trail what the gates said, without the texts.

    verdicts: by the id of what was judged, with the kind of the audience that it was for. Those
    that no gate looked at are left out.
    """
    by_word: dict[str, dict[UUID, dict[str, Any]]] = {}
    for id_, (verdict, audience) in verdicts.items():
        if verdict.looked:
            by_word.setdefault(verdict.word, {})[id_] = detail_of(verdict, audience)
    for word, targets in sorted(by_word.items()):
        audit.record_each(
            f"gate.{word}", actor=actor, now=now, target_type=target_type, targets=targets
        )


def detail_of(verdict: Verdict, audience: str) -> dict[str, Any]:
    """A verdict for the audit trail: kinds and counts."""
    broke = {"failed": True} if verdict.failed else {}
    return {"audience": audience, "found": verdict.kinds, **broke}
