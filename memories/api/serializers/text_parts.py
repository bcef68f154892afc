"""The part of a long text that a hit was found by."""

from rest_framework import serializers

from memories.store.text_parts import TextPart
from orgs.api.serializers import AnswerSerializer

PART_HELP = "Only of a long text: the part of it that is nearest to the question in meaning."


class TextPartSerializer(AnswerSerializer):
    index = serializers.IntegerField(help_text="From 0 on, in the order of the text.")
    start = serializers.IntegerField(help_text="The first character of it in `content`, from 0 on.")
    end = serializers.IntegerField(help_text="The character behind its last one.")


def render_part(part: TextPart | None, content: str) -> dict[str, dict[str, int]]:
    """{"part": the part}, or nothing of a whole text, and of one that was made shorter since it
    was embedded."""
    if part is None or part.end > len(content):
        return {}
    return {"part": {"index": part.number - 1, "start": part.start, "end": part.end}}
