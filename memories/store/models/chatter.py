"""Which turns are informative by themselves, and which are chatter: the only place of this rule.

A turn of a chat is read in its conversation. It is informative by itself if it has a category, an
importance of `INFORMATIVE_IMPORTANCE` or more, a protection, or another type than talk.
"""

from django.db.models import Q

from memories.store.models.choices import Type

INFORMATIVE_IMPORTANCE = 0.75
TALK_TYPES = (Type.CONVERSATION, Type.INTERACTION)


def chatter_q() -> Q:
    """The condition that a memory is folded into its conversation; columns of its row alone.

    Only `conversation` can be NULL, so the informative turns are `~chatter()`.
    """
    return Q(
        conversation__isnull=False,
        type__in=TALK_TYPES,
        category="",
        importance__lt=INFORMATIVE_IMPORTANCE,
        red_line=False,
    )
