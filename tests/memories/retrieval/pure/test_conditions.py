"""What narrows a question, as SQL and its values: nothing more, nothing left out."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.search_types import SearchFilters
from tests.memories.retrieval.pure.feature_tables import question

ONE = UUID(int=9)
DAY = datetime(2026, 3, 2, tzinfo=UTC)


def test_a_plain_question_is_not_narrowed() -> None:
    assert build_conditions(question()) == ([], {"organisation": UUID(int=1)})


def test_inside_a_group_direct_and_foreign_rows_stay_out() -> None:
    [sql], values = build_conditions(question(context_group=ONE, organisation_audience=UUID(int=3)))
    assert "n.kind <> 'direct'" in sql
    assert "n.group_id = %(context_group)s" in sql
    assert (values["context_group"], values["organisation_audience"]) == (ONE, UUID(int=3))
    assert build_conditions(question(context_group=ONE, include_direct=True))[0] == []
    assert build_conditions(question(include_direct=False))[0] == []


def test_what_may_be_said_aloud() -> None:
    [sql], values = build_conditions(question(sayable=frozenset({ONE})))
    assert "m.shareable AND NOT m.sensitive" in sql
    assert "p.sharing_off_at IS NOT NULL" in sql
    assert values["sayable"] == [ONE]
    assert build_conditions(question(sayable=frozenset()))[1]["sayable"] == [], (
        "nobody is not everybody"
    )


def test_without_what_everybody_reads() -> None:
    [sql], values = build_conditions(question(include_shared=False, organisation_audience=ONE))
    assert sql == "n.audience_id IS DISTINCT FROM %(organisation_audience)s"
    assert values["organisation_audience"] == ONE


@pytest.mark.parametrize(
    ("filters", "fragment", "values"),
    [
        ({"groups": (ONE,)}, "n.group_id = ANY(%(groups)s)", {"groups": [ONE]}),
        ({"kinds": ("user",)}, "n.kind = ANY(%(kinds)s)", {"kinds": ["user"]}),
        ({"types": ("fact",)}, "m.type = ANY(%(types)s)", {"types": ["fact"]}),
        ({"categories": ("x",)}, "m.category = ANY(%(categories)s)", {"categories": ["x"]}),
        ({"tiers": ("fast",)}, "m.first_tier) = ANY(%(tiers)s)", {"tiers": ["fast"]}),
        ({"robots": (ONE,)}, "c.robot_id = ANY(%(robots)s)", {"robots": [ONE]}),
        ({"members": (ONE,)}, "m.speaker_member_id = ANY(%(members)s)", {"members": [ONE]}),
        ({"tags": ("a",)}, "m.tags && %(tags)s::varchar[]", {"tags": ["a"]}),
        ({"min_importance": 0.0}, "m.importance >= %(min_importance)s", {"min_importance": 0.0}),
        ({"metadata": {"a": 1}}, "m.metadata @> %(metadata)s", None),
    ],
)  # fmt: skip
def test_each_filter_is_a_condition(filters: dict, fragment: str, values: dict | None) -> None:
    [sql], given = build_conditions(question(filters=SearchFilters(**filters)))
    assert fragment in sql
    if values is None:
        assert given["metadata"].obj == {"a": 1}
    else:
        assert given == {"organisation": UUID(int=1)} | values


def test_several_filters_hold_together_and_ranges_are_alternatives() -> None:
    [sql], values = build_conditions(
        question(
            filters=SearchFilters(types=("fact",), ranges=((DAY, None), (None, DAY), (DAY, DAY)))
        )
    )
    at = "coalesce(m.occurred_at, m.created_at)"
    assert sql.endswith(
        f"AND m.type = ANY(%(types)s) AND (({at} >= %(since_0)s) OR ({at} <= %(until_1)s) "
        f"OR ({at} >= %(since_2)s AND {at} <= %(until_2)s)))"
    )
    assert {k: v for k, v in values.items() if k not in ("organisation", "types")} == dict.fromkeys(
        ("since_0", "until_1", "since_2", "until_2"), DAY
    )
    [sql], _ = build_conditions(question(filters=SearchFilters(ranges=((None, None),))))
    assert sql.endswith("((true)))")
