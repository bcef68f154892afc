"""Readers in sentences. Only those who can read now are counted; a note names the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext, ngettext

from orgs.cohort_types import COHORT_TYPES
from orgs.languages.page_text import format_number, join_names
from orgs.models.audiences import AudienceType


@dataclass(frozen=True, slots=True)
class AudienceReader:
    """One reader of an audience, and why they read it.

    what: person, robot, or helper, a robot that reads only when it works for one of the people.
    reason: everyone, seat (in the group), named, through (a group or team that is named), own,
    curates; for a helper: serves (it is their own robot), leave (a delegation), told (they talked
    to it), acts (both are in the group of the list). enters: can sign in, or has a key that reads.
    mine: the asker, or a helper that works for the asker.
    """

    what: str
    id: UUID
    name: str
    reason: str
    enters: bool
    mine: bool = False


@dataclass(frozen=True, slots=True)
class AudienceSummary:
    """An audience as people say it.

    label: a few words for a list; sentence: who can read this; note: who belongs to it and cannot
    read yet; names: of people, the asker first as "You"; more: how many people are not named;
    group: its id, if the asker knows it. people, robots, helpers: how many can read it now, as far
    as the asker may know of them; away: people who cannot sign in yet; shown: the first readers,
    also of those who cannot read yet.
    """

    kind: str
    label: str
    sentence: str
    names: tuple[str, ...] = ()
    more: int = 0
    group: UUID | None = None
    note: str = ""
    people: int = 0
    robots: int = 0
    helpers: int = 0
    away: int = 0
    shown: tuple[AudienceReader, ...] = ()


@dataclass(frozen=True, slots=True)
class ReaderCounts:
    """What is known of an audience, counted over all of it.

    Numbers. inside: people who belong to it; curating: people who read it because they curate;
    through: people who read it by a group that it names; listed, robots_listed: people and robots
    named one by one, whether they can read now or not; mine: helpers that work for the asker; away:
    people who cannot sign in; keyless: robots without a key that reads; hidden: groups that the
    asker may not see by name.

    groups, teams: names; cohort: the name of a persona, an industry or a role. shown: the first of
    each kind, the asker first.
    """

    inside: int = 0
    curating: int = 0
    through: int = 0
    listed: int = 0
    robots: int = 0
    robots_listed: int = 0
    helpers: int = 0
    mine: int = 0
    away: int = 0
    keyless: int = 0
    groups: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    cohort: str = ""
    hidden: int = 0
    shown: tuple[AudienceReader, ...] = ()

    @property
    def people(self) -> int:
        return self.inside + self.curating + self.through

    def names(self, *reasons: str, enters: bool = True) -> list[str]:
        """Names of the shown people with one of these reasons; without a reason, of all."""
        return [
            gettext("You") if one.mine else one.name
            for one in self.shown
            if one.what == "person"
            and one.enters is enters
            and one.reason in (reasons or _PERSON_REASONS)
        ]

    def named_robots(self) -> list[str]:
        return [one.name for one in self.shown if one.what == "robot" and one.reason == "named"]

    def told_robots(self) -> list[str]:
        """Names of the shown robots that had the direct conversation."""
        return [one.name for one in self.shown if one.what == "helper" and one.reason == "told"]


# A sentence gives at most this many names.
_MAX_NAMES = 3
_PERSON_REASONS = ("everyone", "seat", "named", "through", "own", "curates")


def format_people_count(count: int) -> str:
    """1 person, 2 people."""
    return (
        gettext("1 person")
        if count == 1
        else gettext("%(count)s people") % {"count": format_number(count)}
    )


def format_robot_count(count: int) -> str:
    """1 robot, 2 robots."""
    return (
        gettext("1 robot")
        if count == 1
        else gettext("%(count)s robots") % {"count": format_number(count)}
    )


def build_audience_summary(kind: str, organisation: str, known: ReaderCounts) -> AudienceSummary:
    """The sentence about an audience of this kind, for one of its readers."""
    label, sentence = _label_and_sentence(kind, organisation, known)
    return _build_summary(known, kind, label, f"{sentence}{_acting_robots_clause(kind, known)}.")


def build_new_readers_summary(
    kind: str, organisation: str, known: ReaderCounts, what: str = ""
) -> AudienceSummary:
    """The sentence about the readers who would be added; `known` holds only these. what: what they
    would read."""
    label, what = _label(kind, organisation, known), what or gettext("this")
    who = join_names([words for words in (_people_text(known), _robots_text(known)) if words])
    helped = _acting_robots_clause(kind, known)
    if not who and not helped:
        yet = (
            gettext(" yet")
            if known.away or known.keyless
            else gettext(": its readers are those of now")
        )
        sentence = gettext("Nobody would newly be able to read %(what)s%(yet)s") % {
            "what": what,
            "yet": yet,
        }
    elif not who:
        sentence = gettext("No more people would be able to read %(what)s%(helped)s") % {
            "what": what,
            "helped": helped,
        }
    else:
        sentence = gettext("%(who)s would newly be able to read %(what)s%(helped)s") % {
            "who": _capitalise(who),
            "what": what,
            "helped": helped,
        }
    return _build_summary(known, kind, label, f"{sentence}.")


def _build_summary(known: ReaderCounts, kind: str, label: str, sentence: str) -> AudienceSummary:
    named = kind not in (AudienceType.MEMBER,)
    names = known.names() if named else []
    return AudienceSummary(
        kind,
        label,
        sentence,
        tuple(names),
        max(0, known.people - len(names)) if named else 0,
        note=_no_access_note(known),
        people=known.people,
        robots=known.robots,
        helpers=known.helpers,
        away=known.away,
        shown=known.shown,
    )


def _people_text(known: ReaderCounts) -> str:
    return format_people_count(known.people) if known.people else ""


def _robots_text(known: ReaderCounts) -> str:
    return format_robot_count(known.robots) if known.robots else ""


def _label_and_sentence(kind: str, organisation: str, known: ReaderCounts) -> tuple[str, str]:
    """(label, sentence without its end)."""
    label = _label(kind, organisation, known)
    match kind:
        case AudienceType.ORGANISATION:
            return label, _organisation_sentence(organisation, known)
        case AudienceType.GROUP:
            return label, _group_sentence(known)
        case AudienceType.TEAM:
            return label, _team_sentence(known)
        case AudienceType.MEMBER:
            return label, gettext("You can read this") if known.helpers else gettext(
                "Only you can read this"
            )
        case AudienceType.REVIEW:
            return (
                label,
                (
                    gettext("%(people)s can read this: its author and those who curate")
                    % {"people": format_people_count(known.people)}
                ),
            )
    return label, _cohort_sentence(known) if kind in COHORT_TYPES else _list_sentence(known)


def _label(kind: str, organisation: str, known: ReaderCounts) -> str:
    match kind:
        case AudienceType.ORGANISATION:
            return gettext("Everyone in %(organisation)s") % {"organisation": organisation}
        case AudienceType.GROUP:
            return known.groups[0] if known.groups else gettext("A group")
        case AudienceType.TEAM:
            return (
                gettext("Robots of %(teams)s") % {"teams": known.teams[0]}
                if known.teams
                else gettext("A team of robots")
            )
        case AudienceType.MEMBER:
            mine = _own_acting_robot_names(known)
            return (
                gettext("You and %(mine)s")
                % {"mine": mine[0] if known.mine == 1 else format_robot_count(known.mine)}
                if mine
                else gettext("Only you")
            )
        case AudienceType.REVIEW:
            return gettext("Author and curators")
    people_named = [*known.names("named"), *known.names("named", enters=False)]
    places = [
        *known.groups,
        *(gettext("robots of %(team)s") % {"team": team} for team in known.teams),
    ]
    told = known.told_robots()
    names = [*places, *people_named, *known.named_robots(), *told]
    if kind in COHORT_TYPES:
        names = [known.cohort or gettext("People of a persona")]
    rest = known.listed + known.robots_listed + len(told) + len(places) - len(names)
    return _shorten_names(names, 0 if kind in COHORT_TYPES else rest + known.hidden)


def _organisation_sentence(organisation: str, known: ReaderCounts) -> str:
    if known.inside > 1:
        people = format_people_count(known.inside)
        who = people if known.away else gettext("All %(people)s") % {"people": people}
    else:
        who = gettext("You")
    also = (
        gettext(" and %(robots)s") % {"robots": format_robot_count(known.robots)}
        if known.robots
        else ""
    )
    return gettext("%(who)s%(also)s in %(organisation)s can read this") % {
        "who": who,
        "also": also,
        "organisation": organisation,
    }


def _group_sentence(known: ReaderCounts) -> str:
    if not known.groups:
        return gettext("The people of its group can read this")
    who = join_names(
        [
            w
            for w in (
                format_people_count(known.inside) if known.inside else "",
                _robots_text(known),
            )
            if w
        ]
    )
    if not who:
        return gettext("%(known)s can read this, and nobody in %(groups)s yet") % {
            "known": _curators_text(known),
            "groups": known.groups[0],
        }
    also = gettext(", and %(known)s") % {"known": _curators_text(known)} if known.curating else ""
    return gettext("%(who)s in %(groups)s can read this%(also)s") % {
        "who": who,
        "groups": known.groups[0],
        "also": also,
    }


def _team_sentence(known: ReaderCounts) -> str:
    """The robots of the team. No person reads its notes."""
    if not known.teams:
        return gettext("The robots of its team can read this")
    names = [one.name for one in known.shown if one.what == "robot" and one.enters]
    who = join_names(names) if known.robots <= _MAX_NAMES else format_robot_count(known.robots)
    return gettext("%(who)s in %(team)s can read this, and no person") % {
        "who": who or gettext("No robot"),
        "team": known.teams[0],
    }


def _cohort_sentence(known: ReaderCounts) -> str:
    """The people of a persona, an industry or a role, and their own robots."""
    who = join_names(
        [
            w
            for w in (
                format_people_count(known.inside) if known.inside else "",
                _robots_text(known),
            )
            if w
        ]
    )
    of = known.cohort or gettext("a persona")
    if not who:
        return gettext("%(known)s can read this, and nobody of %(of)s yet") % {
            "known": _curators_text(known),
            "of": of,
        }
    also = gettext(", and %(known)s") % {"known": _curators_text(known)} if known.curating else ""
    return gettext("%(who)s of %(of)s can read this%(also)s") % {"who": who, "of": of, "also": also}


def _curators_text(known: ReaderCounts) -> str:
    return ngettext("%(count)s who curates", "%(count)s who curate", known.curating) % {
        "count": format_number(known.curating)
    }


def _list_sentence(known: ReaderCounts) -> str:
    parts = [gettext("everyone in %(name)s") % {"name": name} for name in known.groups]
    if known.hidden:
        parts.append(
            gettext("one more group")
            if known.hidden == 1
            else gettext("%(hidden)s more groups") % {"hidden": known.hidden}
        )
    parts += [gettext("the robots of %(name)s") % {"name": name} for name in known.teams]
    if known.inside:
        parts.append(
            gettext("you")
            if known.names("named") == [gettext("You")]
            else format_people_count(known.inside)
        )
    named = known.named_robots()
    parts += named if len(named) <= _MAX_NAMES else [format_robot_count(known.robots_listed)]
    return gettext("%(who)s can read this") % {
        "who": _capitalise(join_names(parts)) or gettext("Nobody")
    }


def _own_acting_robot_names(known: ReaderCounts) -> list[str]:
    return [one.name for one in known.shown if one.what == "helper" and one.enters and one.mine]


def _acting_robots_clause(kind: str, known: ReaderCounts) -> str:
    """The rest of a sentence: which robots read it only on behalf of one of those people."""
    mine = _own_acting_robot_names(known)
    parts = []
    if mine:
        works = gettext("it works") if known.mine == 1 else gettext("they work")
        names = join_names(mine) if known.mine <= _MAX_NAMES else format_robot_count(known.mine)
        parts.append(gettext("%(names)s when %(works)s for you") % {"names": names, "works": works})
    others = known.helpers - known.mine
    if others and kind != AudienceType.MEMBER:
        works = gettext("it works") if others == 1 else gettext("they work")
        more = (
            ngettext("%(count)s more robot", "%(count)s more robots", others)
            % {"count": format_number(others)}
            if mine or known.robots
            else format_robot_count(others)
        )
        parts.append(
            gettext("%(more)s when %(works)s for one of them") % {"more": more, "works": works}
        )
    return gettext(", and %(parts)s") % {"parts": join_names(parts)} if parts else ""


def _no_access_note(known: ReaderCounts) -> str:
    """Who belongs to it and cannot read it at present."""
    parts = []
    if known.away:
        names = known.names(enters=False)
        who = (
            join_names(names)
            if known.away <= min(_MAX_NAMES, len(names))
            else (gettext("%(away)s more people") % {"away": format_number(known.away)})
        )
        parts.append(gettext("%(who)s cannot sign in yet.") % {"who": who})
    if known.keyless:
        words = (
            ngettext(
                "%(count)s more robot has no key that reads this.",
                "%(count)s more robots have no key that reads this.",
                known.keyless,
            )
            if known.robots
            else ngettext(
                "%(count)s robot has no key that reads this.",
                "%(count)s robots have no key that reads this.",
                known.keyless,
            )
        )
        parts.append(words % {"count": format_number(known.keyless)})
    return " ".join(parts)


def _capitalise(words: str) -> str:
    return words[:1].upper() + words[1:]


def _shorten_names(names: Sequence[str], hidden: int) -> str:
    """Two names and how many others."""
    rest = len(names) - 2 + hidden
    if rest <= 0:
        return join_names(names) or gettext("Some people")
    return gettext("%(names)s and %(rest)s more") % {"names": ", ".join(names[:2]), "rest": rest}
