"""Which document a memory is a part of, and where in it: as its source says, set by the product.

The conversation of a part is that of its document, so its neighbours in the text are known, and
nobody else writes into such a conversation: a source alone is what any writer says.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.store.conversation_turns import HasSource

DOCUMENT_KEY = "document"
CONVERSATION_PREFIX = "document:"
MADE_BY_IMPORT = (
    "Conversations that begin with “document:” are those of imported documents, whose parts the "
    "service writes. Nothing was stored."
)
# Texts of a file, which gates look at; the others are ids and numbers.
_TEXTS = ("name", "label", "heading")


def document_conversation(document_id: UUID) -> str:
    """The conversation of a document's parts."""
    return f"{CONVERSATION_PREFIX}{document_id}"


def is_document_conversation(conversation: str | None) -> bool:
    """Whether only the import of a document may write into it."""
    return conversation is not None and conversation.startswith(CONVERSATION_PREFIX)


def document_of(row: HasSource) -> Mapping[str, Any] | None:
    """{id, name, label, part, page or heading} of the document that a memory is a part of."""
    given = row.source.get(DOCUMENT_KEY) if isinstance(row.source, dict) else None
    if not isinstance(given, dict) or not isinstance(given.get("id"), str):
        return None
    return given if row.conversation == f"{CONVERSATION_PREFIX}{given['id']}" else None


def document_label(row: HasSource) -> str:
    """ "Handbook.pdf, page 12", "Guide.md, Setup > Keys"; empty for what is no part of one."""
    found = document_of(row)
    label = found.get("label") if found else None
    return label if isinstance(label, str) else ""


def is_document_part_q() -> Q:
    """The condition of `document_of`, but for the equality of the two ids."""
    return Q(conversation__startswith=CONVERSATION_PREFIX, source__has_key=DOCUMENT_KEY)


def part_texts(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """What of a part's source is text of the file."""
    return {name: source[DOCUMENT_KEY].get(name, "") for name in _TEXTS}


def map_part_texts(source: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """The source with its texts changed, and its ids and numbers as they are."""
    part = source[DOCUMENT_KEY]
    changed = {name: change(one) if name in _TEXTS else one for name, one in part.items()}
    return {**source, DOCUMENT_KEY: changed}
