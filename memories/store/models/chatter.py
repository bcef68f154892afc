"""Which turns are informative by themselves, and which are chatter: the only place of this rule.

A turn of a chat is read in its conversation. It is informative by itself if it has a category, an
importance of `TELLS_FROM` or more, a protection, or another type than talk.
"""

from django.db.models import Q

from memories.store.models.choices import Type

TELLS_FROM = 0.75
TALK = (Type.CONVERSATION, Type.INTERACTION)


def chatter() -> Q:
    """The condition that a memory is folded into its conversation; columns of its row alone.

    Only `conversation` can be NULL, so the informative turns are `~chatter()`.
    """
    return Q(
        conversation__isnull=False,
        type__in=TALK,
        category="",
        importance__lt=TELLS_FROM,
        red_line=False,
    )
