"""One place says whose words a text gives, and one makes foreign text fit for a model (T28).

Found by reading the source: what reads a speaker's name to show it, and what makes a text for a
model. A new one fails until it asks these modules, or says here why it need not.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT, imports, module_files, relative, syntax_tree
from tests.isolation.api_surface import openapi_schema, resolve_schema

# Where texts for models and for people are made.
SPOKEN = (
    "memories/action_items", "memories/answers", "memories/api", "memories/context",
    "memories/curation/decision_records",
    "memories/browsing", "memories/lifecycle/llm_checks", "memories/llm",
    "memories/privacy/export_my_data.py", "memories/restatement/llm_windows.py",
    "memories/restatement/llm_worker.py",
    "memories/retrieval", "memories/views", "personas", "robots/api", "robots/views",
)  # fmt: skip
NAMES = {"speaker", "speaker_member", "speaker_name", "called", "said_by"}
# Modules that read a speaker and show none as proven: why.
HOW = {
    "memories/api/serializers/memories.py": "fields of an answer, beside `speaker_member`",
    "memories/api/serializers/recall.py": "fields of an answer, beside `speaker_member`",
    "memories/api/serializers/attribution.py": "fields of an answer that the module fills",
    "memories/api/snapshots/serializers.py": "a line of a snapshot, which is restored as it is",
    "memories/api/recall/who_said.py": "fields of an answer: `speaker` beside `speaker_member`",
    "memories/api/decisions/serializers.py": "fields of an answer: a name beside member and robot",
    "robots/api/identities.py": "which robots say it, no name of a speaker",
    "robots/api/serializers/conversations.py": "what `robots/api/conversations.py` takes and fills",
    "robots/api/conversations.py": "fields of an answer: `speaker` beside `member`",
    "memories/curation/decision_records/attribution.py": "asks the module",
    "memories/curation/decision_records/models.py": (
        "the present name, for those who ask the module"
    ),
    "memories/curation/decision_records/voice_attribution.py": "writes: who may be named",
    "memories/curation/decision_records/debates.py": "writes: who is named",
    "memories/curation/decision_records/decision_queries.py": "no name",
    "memories/answers/answer_question.py": "compares names with the question, shows none",
    "memories/answers/select_sentences.py": "compares names with the question, shows none",
    "memories/browsing/memory_pages.py": "hands names on to be compared, shows none",
    "memories/context/sources/recalled_memories.py": "compares speakers, shows none",
    "memories/restatement/llm_windows.py": "asks the module",
    "memories/restatement/llm_worker.py": "compares the answer with the names in the question",
    "memories/retrieval/robot_mentions.py": "asks the module",
    "memories/retrieval/ranking/current_facts.py": "compares numbers of speakers, shows none",
    "memories/retrieval/ranking/merge_duplicates.py": "compares speakers, shows none",
    "memories/retrieval/ranking/rank_pass.py": "hands on numbers of speakers, shows none",
    "memories/views/jobs/import_plan_presenter.py": "names of a file, in quotation marks",
    "memories/views/origin_presenter.py": "asks the module",
    "memories/views/browsing/robot_mentions.py": "marked by `Said.shown_speaker`",
    "memories/views/browsing/conversation.py": "asks the module",
    "memories/views/decisions/decision_presenter.py": "asks the module; a robot's name",
    "memories/views/memory_presenter.py": "`called` is a category in words",
    "memories/views/privacy/export_page.py": "`called` is a category in words",
    "memories/views/experts/graph_drawing.py": "asks the module",
}
# Answers with a text that was put together for a model: it has its sources or its tokens beside it.
BESIDE = {"citations", "tokens", "text_tokens", "entries"}
FOR_MODELS = {
    "answer", "context", "decisions_prepare", "debates_open", "working_memory_get",
    "team_memory_get", "streams_summary", "blocks_get", "blocks_list", "blocks_put",
}  # fmt: skip


def readers() -> Iterator[str]:
    """The modules of SPOKEN that read an attribute with one of NAMES, or declare such a field."""
    for path in module_files("memories", "personas", "robots"):
        name = relative(path)
        if name.startswith(SPOKEN) and any(_reads(path)):
            yield name


def _reads(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax_tree(path)):
        read = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        if read and node.attr in NAMES:
            yield node.attr
        if isinstance(node, ast.ClassDef) and node.name.endswith("Serializer"):
            # An answer renders what it declares.
            declared = [one for line in node.body for one in ast.walk(line)]
            yield from (one.id for one in declared if isinstance(one, ast.Name) and one.id in NAMES)


@pytest.mark.conformance("T28")
def test_whoever_shows_a_speaker_asks_the_one_module() -> None:
    found = set(readers())
    assert found - set(HOW) == set(), "ask memories.store.speakers.attribution, or say here why not"
    for name, how in HOW.items():
        if how.startswith("asks the module"):
            known = {module for _, module in imports(ROOT / name)}
            assert known & {
                "memories.store.speakers.attribution",
                "memories.views.origin_presenter",
            }, name


@pytest.mark.conformance("T28")
def test_no_template_shows_a_speaker_that_no_view_has_marked() -> None:
    """A template has no way to ask; its views give names that are marked."""
    found = {}
    for path in sorted((ROOT / "templates").rglob("*.html")):
        names = re.findall(
            r"{{[^}]*\b(\w+\.(?:speaker|speaker_member|speaker_name))\b", path.read_text("utf-8")
        )
        if names:
            found[relative(path)] = names
    # The view gives `Said.shown_speaker`.
    assert found == {"templates/memories/browsing/who_said.html": ["moment.speaker"]}


@pytest.mark.conformance("T28")
def test_foreign_text_becomes_a_models_text_in_one_module() -> None:
    """Nothing else calls a text fit for a model, but those that put rendered parts together."""
    cast = {
        relative(path)
        for path in module_files()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ModelText"
    }
    assert cast == {
        "memories/language/rendering/model_text.py",
        # The beginning of a rendered text is one.
        "memories/context/assembly/layout.py",
        # Names that are rendered, between words of the product.
        "memories/store/speakers/attribution.py",
    }


@pytest.mark.conformance("T28")
def test_the_fence_is_filled_with_rendered_texts_alone() -> None:
    filled = {
        relative(path)
        for path in module_files()
        for _, module in imports(path)
        if module == "memories.context.assembly.fence"
    }
    assert filled == {
        "memories/context/assembly/layout.py",
        "memories/curation/decision_records/prepare_decision.py",
    }
    for name in filled:
        known = {module for _, module in imports(ROOT / name)}
        assert "memories.language.rendering.model_text" in known


@pytest.mark.conformance("T28")
def test_every_answer_with_a_text_for_a_model_is_in_the_table() -> None:
    """tests/isolation/test_unproven_names.py reads those that can hold a speaker."""
    found = {
        operation["operationId"]
        for methods in openapi_schema()["paths"].values()
        for operation in methods.values()
        if isinstance(operation, dict) and any(_texts(operation))
    }
    assert found == FOR_MODELS


def _texts(operation: dict[str, Any]) -> Iterator[str]:
    """The texts that were put together in the answers of an operation, at any depth."""
    for answer in operation.get("responses", {}).values():
        for content in (answer.get("content") or {}).values():
            yield from _fields(content.get("schema", {}), frozenset())


def _fields(schema: dict[str, Any], above: frozenset[str]) -> Iterator[str]:
    name = schema.get("$ref", "").rpartition("/")[2]
    if name in above:
        return
    schema = resolve_schema(schema)
    fields = schema.get("properties", {})
    if "text" in fields and BESIDE & set(fields):
        yield name
    for inner in fields.values():
        yield from _fields(inner, above | {name})
    if "items" in schema:
        yield from _fields(schema["items"], above | {name})
