"""An answer over HTTP: the sentences that answer a question, and what they rest on."""

from collections.abc import Generator, Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.answers.answer_question import (
    BY_MODEL,
    BY_RULES,
    MAX_MEMORIES,
    NOT_BY_MODEL_REASONS,
    NOTHING_ANSWERS,
    Answer,
    AnswerCitation,
    AnswerPart,
    answer_question,
    stream_answer,
)
from memories.answers.written_answer import WrittenSentence
from memories.api.recall.recall_views import build_query
from memories.api.serializers.recall import (
    HitSerializer,
    RecallAnswerSerializer,
    RecallSerializer,
    render_hit,
)
from memories.retrieval.answering.confidence import classify_confidence
from memories.retrieval.resolve_filters import Query
from memories.retrieval.scoring_profiles import DEFAULT_LIMIT
from orgs.api.base_view import APIView
from orgs.api.json_format import JSONRenderer
from orgs.api.problems import exception_handler
from orgs.api.serializers import AnswerSerializer, ChoiceField, CountField, validate_data
from orgs.limits.rate_limits import weigh_context


class QuestionSerializer(RecallSerializer):
    """A recall of which the answer is made."""

    explain = None
    working = None
    limit = CountField(
        min_value=1,
        max_value=MAX_MEMORIES,
        required=False,
        help_text=f"In how many recalled memories the answer is looked for, by default "
        f"{DEFAULT_LIMIT}.",
    )
    by = ChoiceField(
        (BY_RULES, BY_MODEL),
        required=False,
        help_text="Who makes the sentences: `rules` show those of the memories, `model` lets a "
        "language model write (409 if none is set up). By default the model, if there is one.",
    )
    stream = serializers.BooleanField(
        default=False,
        help_text="Send server-sent events: `recall` with `answered` and `confidence`; `sentence` "
        "for each that a model writes, as soon as it is checked, with `text` and the ids of its "
        "`memories`; `answer`, which is what counts; or `error` with a problem.",
    )


class AnswerSentenceSerializer(AnswerSerializer):
    text = serializers.CharField()
    cites = serializers.ListField(
        child=serializers.IntegerField(), help_text="The numbers of its citations."
    )


class AnswerCitationSerializer(HitSerializer):
    """A memory that the answer rests on, as in a recall, with the sentence that answers."""

    number = serializers.IntegerField()
    start = serializers.IntegerField(
        help_text="Where the sentence begins in `content`, in characters (code points)."
    )
    end = serializers.IntegerField(help_text="Where it ends: the first character after it.")


class AnsweredQuestionSerializer(RecallAnswerSerializer):
    """An answer and what it rests on."""

    results = None
    people = None
    text = serializers.CharField(
        help_text=f"The sentences, one a line; “{NOTHING_ANSWERS}” if nothing answers."
    )
    by = ChoiceField(
        (BY_RULES, BY_MODEL),
        allow_null=True,
        help_text="Who made the sentences; null if nothing answers.",
    )
    sentences = AnswerSentenceSerializer(many=True, help_text="By rules at most two.")
    citations = AnswerCitationSerializer(many=True)
    disagrees = HitSerializer(
        many=True, help_text="Recalled memories that say otherwise than a cited one."
    )
    not_by_model = ChoiceField(
        NOT_BY_MODEL_REASONS,
        required=False,
        allow_null=True,
        help_text="Only where a language model was to answer: why it did not. `not-showable`: it "
        "may not see what answers; `over-limit`: the organisation has asked enough for today; "
        "`no-answer`: it gave none; `unsupported`: no sentence of it had support.",
    )


def _render_citation(one: AnswerCitation, query: Query) -> dict[str, Any]:
    place = {"number": one.number, "start": one.start, "end": one.end}
    return place | render_hit(one.hit, one.row, query)


def _render_answer(answer: Answer) -> dict[str, Any]:
    query, why_not = answer.query, answer.not_reranked
    return AnsweredQuestionSerializer.render(
        answer,
        by=answer.by or None,
        confidence=round(answer.confidence, 4),
        sentences=[{"text": one.text, "cites": list(one.cites)} for one in answer.sentences],
        citations=[_render_citation(one, query) for one in answer.citations],
        disagrees=[render_hit(hit, row, query) for hit, row in answer.disagrees],
        timeframe=[{"from": a, "to": b} for a, b in query.ranges] or None,
        took_ms=round(answer.took_ms, 2),
        **({"reranked": why_not is None, "not_reranked": why_not} if query.rerank else {}),
        **({"not_by_model": answer.not_by_model} if answer.asked_model else {}),
    )


STREAM = "text/event-stream"


class AnswerView(APIView):
    within_groups = ("POST",)
    scopes = {"POST": "read"}
    only_answers = ("POST",)
    weight = staticmethod(weigh_context)

    @extend_schema(
        operation_id="answer",
        request=QuestionSerializer,
        responses={
            (200, "application/json"): AnsweredQuestionSerializer,
            (200, STREAM): OpenApiTypes.STR,
        },
    )
    def post(self, request: Request) -> Response | StreamingHttpResponse:
        """Answer a question with sentences of memories that the caller may read, or about them.

        The cited memories count as recalled, and `recall_id` takes feedback on them.
        """
        asked = validate_data(QuestionSerializer, request.data)
        by, stream = asked.pop("by", None), asked.pop("stream")
        query, now = build_query(asked), timezone.now()
        if not stream:
            return Response(_render_answer(answer_question(request.user, query, now=now, by=by)))
        parts = stream_answer(request.user, query, now=now, by=by)
        # What is wrong with the question is told before anything is sent.
        events = self._iter_events(next(parts), parts)
        # A proxy is to pass on each event at once.
        return StreamingHttpResponse(
            events, content_type=STREAM, headers={"X-Accel-Buffering": "no"}
        )

    def _iter_events(self, first: AnswerPart, parts: Generator[AnswerPart]) -> Iterator[bytes]:
        try:
            for part in chain([first], parts):
                match part:
                    case Answer():
                        yield _to_event("answer", _render_answer(part))
                    case WrittenSentence():
                        yield _to_event("sentence", {"text": part.text, "memories": part.cites})
                    case _:
                        answered, confidence = classify_confidence(part), round(part, 4)
                        told = {"answered": answered, "confidence": confidence}
                        yield _to_event("recall", told)
        except Exception as error:
            context = {"request": self.request, "view": self}
            yield _to_event("error", exception_handler(error, context).data)
        finally:
            # Also where the caller has left.
            parts.close()


def _to_event(name: str, data: Any) -> bytes:
    """A server-sent event; JSON has no line end of its own."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), JSONRenderer().render(data))
