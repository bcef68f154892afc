"""Earlier conversations of the same readers, to begin a new one with: less of older ones.

band       last message          tokens for all of its conversations together
hot        less than 24 hours    5,000
warm       less than 7 days      2,000
cold       less than 30 days     500
archive    before that           the titles alone
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from orgs.database.prepared_statements import fetch_all
from orgs.principals import Actor, resolve_principal
from robots.conversations.conversations import get_conversation
from robots.conversations.message_rules import QUARANTINED
from robots.models.conversations import Conversation, Message

MAX_CONVERSATIONS = 50
# At most so many messages of one conversation are looked at.
MAX_MESSAGES = 500
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class AgeBand:
    """younger_than: the age at which the band ends, None for the last. tokens: for all its
    conversations together."""

    name: str
    younger_than: timedelta | None
    tokens: int


BANDS = (
    AgeBand("hot", timedelta(hours=24), 5_000),
    AgeBand("warm", timedelta(days=7), 2_000),
    AgeBand("cold", timedelta(days=30), 500),
    AgeBand("archive", None, 0),
)

# A token has at most four characters. A message that comes after more characters than four times
# the budget cannot fit.
_LATEST_MESSAGES_SQL = """
SELECT newest.id FROM unnest(%(ids)s::uuid[], %(most)s::int[]) AS c (id, characters)
CROSS JOIN LATERAL (
    SELECT m.id, sum(length(m.content)) OVER (ORDER BY m.id DESC) - length(m.content) AS behind
    FROM (
        SELECT id, content FROM robots_message
        WHERE organisation_id = %(organisation)s AND conversation_id = c.id
            AND audience_id = %(audience)s AND withdrawn_at IS NULL
            AND reason <> ALL(%(silent)s)
        ORDER BY id DESC LIMIT %(messages)s
    ) AS m
) AS newest WHERE newest.behind <= c.characters
"""


@dataclass(slots=True)
class EarlierConversation:
    """An earlier conversation. messages: the latest that fit, in the order in which they came."""

    conversation: Conversation
    band: AgeBand
    messages: list[Message] = field(default_factory=list)
    tokens: int = 0


def band_of(age: timedelta) -> AgeBand:
    """The band of a conversation by the age of its last message; the future is hot."""
    return next(b for b in BANDS if b.younger_than is None or age < b.younger_than)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: one for four ASCII characters, one for each other."""
    plain = sum(character.isascii() for character in text)
    return len(text) - plain + -(-plain // CHARACTERS_PER_TOKEN)


def count_fitting(texts: Sequence[str], budget: int) -> tuple[int, int]:
    """(how many texts from the first on fit into a budget of tokens, their tokens together).

    The first text that does not fit ends the count.
    """
    taken = 0
    for place, text in enumerate(texts):
        if taken + (more := estimate_tokens(text)) > budget:
            return place, taken
        taken += more
    return len(texts), taken


def list_earlier_conversations(
    actor: Actor, conversation_id: UUID, *, now: datetime
) -> list[EarlierConversation]:
    """The latest MOST_CONVERSATIONS others of the same readers, the latest first.

    All conversations and messages have the audience of this one, so every reader of it reads them.
    Withdrawn messages are left out, for a robot also quarantined ones. Raises NotFoundError.
    """
    principal = resolve_principal(actor.naming_a_row())
    with principal.scope():
        begun = get_conversation(principal, conversation_id)
        rows = Conversation.objects.filter(
            organisation_id=begun.organisation_id,
            audience_id=begun.audience_id,
            last_message_at__isnull=False,
        )
        latest = rows.exclude(id=begun.id).order_by("-last_message_at", "-id")
        found = [
            EarlierConversation(row, band_of(now - row.last_message_at))
            for row in latest[:MAX_CONVERSATIONS]
            if row.last_message_at is not None
        ]
        said = _fetch_latest_messages(actor, begun, [one for one in found if one.band.tokens])
    for band in BANDS:
        _share_budget([one for one in found if one.band is band], said, band.tokens)
    return found


def _fetch_latest_messages(
    actor: Actor, begun: Conversation, those: Sequence[EarlierConversation]
) -> dict[UUID, list[Message]]:
    """The latest messages of each conversation, the latest first: all that can fit into the band's
    budget, and few more."""
    values = {
        "ids": [one.conversation.id for one in those],
        "most": [CHARACTERS_PER_TOKEN * one.band.tokens for one in those],
        "organisation": begun.organisation_id,
        "audience": begun.audience_id,
        "messages": MAX_MESSAGES,
        "silent": [] if actor.robot_id is None else [QUARANTINED],
    }
    ids = [id_ for (id_,) in fetch_all(_LATEST_MESSAGES_SQL, values)] if those else []
    rows = Message.objects.filter(organisation_id=begun.organisation_id, id__in=ids)
    said: dict[UUID, list[Message]] = defaultdict(list)
    for message in rows.order_by("-id"):
        said[message.conversation_id].append(message)
    return said


def _share_budget(
    those: Sequence[EarlierConversation], said: dict[UUID, list[Message]], budget: int
) -> None:
    """Share a budget: the latest conversation gets what it needs, then the next, up to the first
    message that does not fit."""
    for one in those:
        newest = said[one.conversation.id]
        count, one.tokens = count_fitting([message.content for message in newest], budget)
        one.messages = newest[:count][::-1]
        budget = budget - one.tokens if count == len(newest) else 0
