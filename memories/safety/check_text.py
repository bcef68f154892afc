"""Judge a text before it reaches more people: it may pass, pass with words masked, or must wait.

A gate fails closed: if a detector fails, the text waits for a person.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from memories.safety import detectors
from memories.safety.models import GatePolicy
from memories.safety.names.known_names import load_known_names
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.plain_text import PlainText, ReadingTime, joined, portions_of, to_plain_text
from memories.safety.required_checks import (
    SECRET_TYPES,
    Finding,
    FindingType,
    PersonalDataPolicy,
    PersonalDataType,
    RequiredChecks,
    Submission,
    mask_findings,
    required_checks,
)
from memories.store.models.choices import QuarantineGate
from orgs import audit
from orgs.principals import Actor

logger = logging.getLogger("commonmind.gates")

# The text for others if a detector failed, so that personal words are unknown.
WITHHELD_TEXT = "[not checked]"
INJECTION_ONLY = RequiredChecks(poison=True)
# Returns texts or names when they are needed.
LoadKnownPeople = Callable[[], Iterable[str]]
T = TypeVar("T")


class GateAction(StrEnum):
    PASS = "pass"  # noqa: S105 - a word of the contract
    SANITISE = "sanitise"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on a text.

    text: as others may read it, with personal data replaced by its kind in brackets. findings: in
    the original. marks: findings of poison, at their places in `text`. beside: findings in tags,
    topic and other fields. held: the gate for which it waits, empty unless the action is review.
    failed: whether a detector failed, or the text took too long. unread: whether it took too long.
    looked: whether any gate looked at all.
    """

    action: GateAction
    text: str
    findings: tuple[Finding, ...] = ()
    marks: tuple[Finding, ...] = ()
    beside: tuple[FindingType, ...] = ()
    held: QuarantineGate | None = None
    failed: bool = False
    unread: bool = False
    looked: bool = True

    @property
    def kinds(self) -> dict[str, int]:
        """How often each kind was found."""
        every = [*(one.kind.value for one in self.findings), *(one.value for one in self.beside)]
        return dict(sorted(Counter(every).items()))

    @property
    def word(self) -> str:
        """The word for the verdict in the audit trail."""
        if self.action is not GateAction.REVIEW:
            return {GateAction.PASS: "passed", GateAction.SANITISE: "sanitised"}[self.action]
        return "quarantined" if self.held is QuarantineGate.POISON else "held"


@dataclass(slots=True)
class _TextFindings:
    """The findings of both gates in one text."""

    personal: list[Finding] = field(default_factory=list)
    poison: list[Finding] = field(default_factory=list)
    personal_failed: bool = False
    poison_failed: bool = False
    unread: bool = False

    @property
    def tells(self) -> bool:
        return bool(self.personal) or self.personal_failed

    @property
    def steers(self) -> bool:
        return bool(self.poison) or self.poison_failed

    def cleaned(self, text: str) -> str:
        return WITHHELD_TEXT if self.personal_failed else mask_findings(text, self.personal)


@dataclass
class Gate:
    """The gates of an organisation, for one call: names and policy are looked up once, when a text
    needs them. Use it inside a scope of the organisation.

    policy, names: if they are known already.
    """

    organisation_id: UUID
    policy: PersonalDataPolicy | None = None
    names: KnownNames | None = None
    # A batch has few speakers and conversations.
    _called: dict[str, _TextFindings] = field(default_factory=dict, init=False)
    _time: ReadingTime = field(default_factory=ReadingTime, init=False)

    @cached_property
    def known(self) -> KnownNames:
        return load_known_names(self.organisation_id) if self.names is None else self.names

    @cached_property
    def when(self) -> PersonalDataPolicy:
        if self.policy is not None:
            return self.policy
        rows = GatePolicy.objects.filter(organisation_id=self.organisation_id)
        found = rows.values_list("personal", flat=True).first()
        return PersonalDataPolicy(found) if found else PersonalDataPolicy.ABOUT_SOMEBODY

    def judge(
        self,
        text: str,
        given: Submission,
        *,
        beside: Iterable[str] = (),
        called: Iterable[str] = (),
        familiar: LoadKnownPeople = tuple,
        before: LoadKnownPeople = tuple,
        sanitise: bool = False,
    ) -> Verdict:
        """The verdict on a text of any length. A text that takes too long is held (`unread`).

        beside: texts that are served with it (tags, topic, metadata). called: names that are served
        with it (speaker, key), in which only poison is searched. familiar: returns names of people
        whom every reader knows, such as a group's members; these are allowed. It is called only if
        a name was found. before: returns the last texts of the same writer; called only if the text
        may be half of an order. sanitise: mask personal data and let the rest pass.
        """
        wanted = self.wanted(given)
        if not wanted:
            return Verdict(action=GateAction.PASS, text=text, looked=False)
        beside, called = [one for one in beside if one], [one for one in called if one]
        self._time = ReadingTime()
        found = self._look(text, wanted, familiar)
        others = [self._look(one, wanted, familiar) for one in beside]
        if wanted.poison:
            others += [self._look_at_name(one) for one in called]
            if not any(one.steers for one in (found, *others)):
                found.poison, found.poison_failed = _halves(text, [*beside, *called], before)
        every = [found, *others]
        cleaned = found.cleaned(text)
        held, tells = None, any(one.tells for one in every)
        if any(one.steers for one in every):
            held = QuarantineGate.POISON
        elif any(one.personal_failed for one in every) or (tells and not sanitise):
            held = QuarantineGate.PERSONAL_DATA
        action = GateAction.SANITISE if tells else GateAction.PASS
        same = cleaned == text
        return Verdict(
            action=GateAction.REVIEW if held else action,
            text=cleaned,
            findings=tuple(sorted([*found.personal, *found.poison])),
            marks=tuple(found.poison if same else self._look(cleaned, INJECTION_ONLY).poison),
            beside=tuple(x.kind for one in others for x in [*one.personal, *one.poison]),
            held=held,
            failed=any(one.personal_failed or one.poison_failed for one in every),
            unread=any(one.unread for one in every),
        )

    def personal(
        self, text: str, given: Submission, familiar: LoadKnownPeople = tuple
    ) -> Sequence[Finding]:
        """The personal data in a text alone, as `judge` finds it."""
        self._time = ReadingTime()
        return self._look(text, RequiredChecks(self.wanted(given).personal), familiar).personal

    def wanted(self, given: Submission) -> RequiredChecks:
        """The kinds to look for. Most writes need no lookup of the policy."""
        if not required_checks(given, PersonalDataPolicy.ALWAYS):
            return RequiredChecks()
        return required_checks(given, self.when)

    def cleaned(self, text: str, given: Submission, familiar: LoadKnownPeople = tuple) -> str:
        """The text of a further field, with personal data masked."""
        return self._look(text, RequiredChecks(self.wanted(given).personal), familiar).cleaned(text)

    def _look_at_name(self, name: str) -> _TextFindings:
        if name not in self._called:
            self._called[name] = self._look(name, INJECTION_ONLY)
        return self._called[name]

    def _look(
        self, text: str, wanted: RequiredChecks, familiar: LoadKnownPeople = tuple
    ) -> _TextFindings:
        """The findings in a text, portion by portion. What the time does not suffice for counts as
        failed."""
        found, begin = _TextFindings(), 0
        for portion in portions_of(text):
            if not self._time.begin():
                found.unread = True
                found.personal_failed |= bool(wanted.personal)
                found.poison_failed |= wanted.poison
                break
            here = self._look_at(portion.text, wanted)
            found.personal += portion.own(here.personal, begin)
            found.poison += portion.own(here.poison, begin)
            found.personal_failed |= here.personal_failed
            found.poison_failed |= here.poison_failed
            begin = portion.until
        found.personal = without_known_people(text, joined(found.personal), familiar)
        found.poison = list(joined(found.poison))
        return found

    def _look_at(self, seen: PlainText, wanted: RequiredChecks) -> _TextFindings:
        found = _TextFindings()
        if wanted.personal:
            # Secrets are recognised by their form, without any names.
            names = KnownNames() if wanted.personal <= SECRET_TYPES else self.known
            here = _run_detector(lambda: detectors.detect_personal_data(seen, names))
            found.personal = [one for one in here or () if one.kind in wanted.personal]
            found.personal_failed = here is None
        if wanted.poison:
            here = _run_detector(lambda: detectors.detect_prompt_injection(seen))
            found.poison, found.poison_failed = list(here or ()), here is None
        return found


def without_known_people(
    text: str, found: Sequence[Finding], familiar: LoadKnownPeople
) -> list[Finding]:
    """The findings without people whom every reader knows, compared by any part of their names."""
    if not any(one.kind is PersonalDataType.PERSON for one in found):
        return list(found)
    known = {part for name in familiar() for part in _name_words(name)}
    return [
        one
        for one in found
        if one.kind is not PersonalDataType.PERSON
        or not _name_words(text[one.start : one.end]) <= known
    ]


def _name_words(name: str) -> set[str]:
    """The words of a name in the form for comparing, without an English genitive."""
    words = to_plain_text(name).text.casefold().replace("-", " ").split()
    return {word.removesuffix("'s").strip(".,'") for word in words}


def _halves(
    text: str, beside: Sequence[str], before: LoadKnownPeople
) -> tuple[list[Finding], bool]:
    """(the parts of a text that are an order together with what stands beside it or with the
    writer's last texts, whether the detector failed)."""
    if _run_detector(lambda: detectors.may_be_half(text)) is False:
        return [], False
    others = [*beside, *before()]
    found = _run_detector(lambda: detectors.split_orders(text, others)) if others else []
    return list(found or ()), found is None


def _run_detector(find: Callable[[], T]) -> T | None:
    """What a detector returns; None if it failed."""
    try:
        return find()
    except Exception as error:
        # A traceback may quote the text.
        logger.error("A gate's detector broke: %s", type(error).__name__)  # noqa: TRY400
        return None


def is_prompt_injection(text: str) -> bool:
    """Whether a text would steer a robot that reads it; also True if the detector failed."""
    found = _run_detector(lambda: detectors.detect_prompt_injection(to_plain_text(text)))
    return found is None or bool(found)


def record_verdicts(
    verdicts: Mapping[UUID, tuple[Verdict, str]],
    *,
    actor: Actor,
    now: datetime,
    target_type: str = "memory",
) -> None:
    """Record verdicts in the audit trail, without the texts.

    verdicts: by the id of the judged object, with the kind of its audience. Verdicts without a look
    are left out.
    """
    by_word: dict[str, dict[UUID, dict[str, Any]]] = {}
    for id_, (verdict, audience) in verdicts.items():
        if verdict.looked:
            by_word.setdefault(verdict.word, {})[id_] = audit_detail(verdict, audience)
    for word, targets in sorted(by_word.items()):
        audit.record_entries(
            f"gate.{word}", actor=actor, now=now, target_type=target_type, targets=targets
        )


def audit_detail(verdict: Verdict, audience: str) -> dict[str, Any]:
    """The details of a verdict for the audit trail: kinds and counts."""
    broke = {"failed": True} if verdict.failed else {}
    return {"audience": audience, "found": verdict.kinds, **broke}
