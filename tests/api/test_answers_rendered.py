"""An answer is rendered by the fields that describe it: `AnswerSerializer`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from rest_framework import serializers

from memories.api.serializers.memories import MemorySerializer
from orgs.api.serializers import AnswerSerializer, NamedSerializer, _rendering_plan, id_and_name
from tests.isolation.api_surface import openapi_schema


@dataclass
class Part:
    word: str


@dataclass
class Row:
    number: int = 1
    hidden: str = "the raw text"
    shown: str = "a shown text"
    part: Part | None = None
    parts: list[Part] = field(default_factory=list)
    levels: list[list[Part]] = field(default_factory=list)


class PartAnswer(AnswerSerializer):
    word = serializers.CharField()


class RowAnswer(AnswerSerializer):
    number = serializers.IntegerField()
    hidden = serializers.CharField(source="shown")
    half = serializers.FloatField()
    part = PartAnswer(allow_null=True)
    parts = PartAnswer(many=True)
    levels = serializers.ListField(child=serializers.ListField(child=PartAnswer()))
    extra = PartAnswer(required=False)

    @staticmethod
    def get_half(row: Row) -> float:
        return row.number / 2


class Around(AnswerSerializer):
    row = RowAnswer(source="*")


def test_values_come_from_attributes_their_source_or_a_method() -> None:
    assert RowAnswer.render(Row(number=3)) == {
        "number": 3,
        "hidden": "a shown text",
        "half": 1.5,
        "part": None,
        "parts": [],
        "levels": [],
    }


def test_a_keyword_comes_before_attribute_and_method() -> None:
    body = RowAnswer.render(Row(), number=7, half=None, extra=Part("more"))
    assert (body["number"], body["half"], body["extra"]) == (7, None, {"word": "more"})
    assert body.keys() == RowAnswer().fields.keys()


def test_nested_answers_lists_and_the_row_itself_are_rendered() -> None:
    row = Row(part=Part("a"), parts=[Part("b"), Part("c")], levels=[[Part("d")], []])
    body = Around.render(row)["row"]
    assert body["part"] == {"word": "a"}
    assert body["parts"] == [{"word": "b"}, {"word": "c"}]
    assert body["levels"] == [[{"word": "d"}], []]


def test_a_dict_stays_as_it_is_and_none_is_none() -> None:
    assert RowAnswer.render(None) is None
    body = RowAnswer.render(Row(), parts=[{"word": "as it is"}, Part("rendered")])
    assert body["parts"] == [{"word": "as it is"}, {"word": "rendered"}]


def test_what_is_no_field_and_what_no_row_has_are_errors() -> None:
    with pytest.raises(TypeError, match="RowAnswer has no field other"):
        RowAnswer.render(Row(), other=1)
    with pytest.raises(AttributeError):
        PartAnswer.render(Row())


def test_an_id_and_a_name() -> None:
    @dataclass
    class Member:
        id: int
        name: str

    @dataclass
    class Robot(Member):
        public_id: str | None

    assert NamedSerializer.render(Member(5, "Ann")) == {"id": "5", "name": "Ann"}
    assert NamedSerializer.render(Robot(5, "R", "r-1")) == {"id": "r-1", "name": "R"}
    assert NamedSerializer.render(Robot(5, "R", None)) == {"id": "5", "name": "R"}
    assert id_and_name("5", "Ann") == {"id": "5", "name": "Ann"}
    assert id_and_name(None, None) is None


def _answers(kind: type[AnswerSerializer] = AnswerSerializer) -> Iterator[type[AnswerSerializer]]:
    for one in kind.__subclasses__():
        if one.__module__.startswith(("memories", "orgs", "personas", "robots")):
            yield one
        yield from _answers(one)


def test_every_get_method_of_an_answer_belongs_to_a_field() -> None:
    openapi_schema()  # imports every view
    kinds = set(_answers())
    assert len(kinds) > 40
    for kind in kinds:
        plan: Any = _rendering_plan(kind, ())
        methods = {
            name.removeprefix("get_")
            for name in dir(kind)
            if name.startswith("get_") and not hasattr(AnswerSerializer, name)
        }
        assert methods <= {name for name, *_ in (*plan.computed, *plan.nested)}, kind


def test_a_memory_shows_what_its_reader_may_know_and_not_the_column() -> None:
    sources = {name: field.source for name, field in MemorySerializer().fields.items()}
    ruled = {
        "robot": "teller",
        "group": "place",
        "conversation": "open_conversation",
        "superseded_by": "holds_now",
    }
    assert {name: sources[name] for name in ruled} == ruled
