"""Who changes what others read asks whether the writer publishes to them: a search through the
source for whoever does not (T27).

A service that changes a memory or a part of it gets it by `changeable`, or asks `may_change`. So
each of these has to ask `may_publish` as well, hand on to a service that does, or stand in the list
of what stays one's own right.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import module_files, relative, syntax_tree

pytestmark = pytest.mark.conformance("T27")
RIGHTS = {"lock_changeable_memory", "may_change"}
# Each of these asks `may_publish` itself, or is it.
ASKED = {"may_publish", "publishes_to", "edit_memory", "edited_memory", "_replace"}
DEFINED = "memories/access/"
OWN_RIGHT = {
    "memories/action_items/add_task.py:add_task": "its own new memory",
    "memories/curation/review_decisions.py:_get_merge_target": (
        "pairs are decided by who publishes to both"
    ),
    "memories/curation/decision_records/record_decision.py:record_decision": (
        "its own new memory, or one more key"
    ),
    "memories/curation/decision_records/record_decision.py:supersede_decision": "both have the "
    "same readers, so "
    "the newer one was published by who may",
    "memories/curation/decision_records/page_context.py:_build_items": "what a page offers",
    "memories/curation/edit_memory.py:get_version": "it reads",
    "memories/curation/review_pages.py:open_item": "what a page offers",
    "memories/curation/edit_memory.py:_lock": "its caller asks",
    "memories/curation/share_memory.py:share_memory": "who may widen is asked by `_target`",
    "memories/knowledge_graph/entities.py:_get_given_entity": "its two callers ask",
    "memories/browsing/memory_pages.py:to_listed_memories": "what a page offers",
    "memories/browsing/memory_queries.py:_load_details": "it reads",
    "memories/lifecycle/consolidation/summarise.py:undo_summary": "what was published before",
    "memories/lifecycle/forget.py:archive_memory": "one's own right",
    "memories/lifecycle/forget.py:forget_memory": "one's own right",
    "memories/lifecycle/forget.py:restore_memory": "what was published before",
    "memories/state/supersede_requests.py:load_older_memories": "it locks a newer one that its "
    "caller changes, and asks of the older ones by `_DecisionRights`",
    "memories/snapshots/restore_snapshot.py:_restore_existing": "it hands on to `_replace`",
    "memories/curation/split_memory.py:_prepare_split": "its callers ask",
}


def _asking(path: Path) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.FunctionDef):
            called = {
                name
                for call in ast.walk(node)
                if isinstance(call, ast.Call)
                and (name := getattr(call.func, "id", getattr(call.func, "attr", "")))
            }
            if called & RIGHTS:
                yield f"{relative(path)}:{node.name}", called


def test_whoever_changes_a_memory_asks_who_publishes_to_its_readers() -> None:
    found = [
        one
        for path in module_files()
        if not relative(path).startswith(DEFINED)
        for one in _asking(path)
    ]
    assert len(found) > 15, "the search finds nothing"
    silent = {where for where, called in found if not called & ASKED}
    assert silent - set(OWN_RIGHT) == set(), "these change what others read without a question"
    assert set(OWN_RIGHT) - {where for where, _ in found} == set(), "the list names what is gone"
