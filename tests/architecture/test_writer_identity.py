"""Whose name a caller may use is decided in one module, from an actor that says whose robot it is.

A service that decides by itself, or makes an actor of a robot without its owner, fails here.
"""

import ast
from functools import cache

from tests.architecture.source import is_migration, module_files, relative

DECIDES = "robots/access/writer_identity.py"
# Who else refuses a claim of identity, and which.
REFUSES = {
    "memories/ingestion/placement.py": "which robot writes, and of which message a memory was made",
    "personas/associations/association_changes.py": (
        "of whom a person says that they have a persona"
    ),
}
# Who else looks whether a key may act for members, and what for.
ASKS_FOR_THE_SCOPE = {
    "memories/access/references.py": "which members it may look up",
    "robots/access/acting_for_members.py": (
        "a call that names a member, before anybody is looked up"
    ),
    "robots/access/keys.py": "an OAuth client, which acts for its member unasked",
    "robots/access/personal_robot_actor.py": "a call that names none",
    "robots/access/robot_call_scope.py": "the same in one statement",
    "robots/oauth/grants.py": "what an assistant may, as its member is shown",
    "robots/people/members_without_account.py": "which member a 409 may name",
}
# Who makes an actor of a robot that is no personal one, or one that only stands in a statement.
MAKES = {
    "memories/context/connectors/account_memories.py": "the built-in robot of imports",
    "memories/context/team_working_memory.py": "robots of teams, which serve nobody",
    "memories/curation/copy_and_merge.py": "the built-in robot of the pages",
    "memories/curation/decide_by_policy.py": "the built-in robot of the pages",
    "memories/demo/create_demo.py": "the demo's robots, which serve nobody",
    "memories/evaluation/dataset/synthetic_organisation.py": (
        "robots of seeded data, which serve nobody"
    ),
    "memories/ingestion/file_import/importer.py": "the built-in robot of imports",
    "memories/lifecycle/consolidation/capacity_limit.py": "the built-in robot of the pages",
    "memories/lifecycle/consolidation/promote_patterns.py": "the built-in robot of the pages",
    "memories/lifecycle/llm_checks/reword_summaries.py": "the built-in robot of the pages",
    "personas/associations/personal_robot.py": "who made it, for its audit entry",
    "personas/learning/block_capacity.py": "the built-in robot of the pages",
    "robots/access/robot_call_scope.py": "it stands in a statement; the caller is made by `keys`",
    "robots/access/personal_robot_actor.py": "with its owner",
    "robots/access/enrolment.py": "a newcomer, which serves nobody",
    "robots/access/keys.py": "from the key's own row, with its owner",
    "robots/oauth/grants.py": "a client and its member, for the audit entry of their key",
}


@cache
def trees() -> dict[str, ast.Module]:
    """The parsed modules of the product by path."""
    return {
        relative(path): ast.parse(path.read_text(encoding="utf-8"))
        for path in module_files()
        if not is_migration(path)
    }


def calls(tree: ast.Module, name: str) -> list[ast.Call]:
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    return [n for n in found if isinstance(n.func, ast.Name) and n.func.id == name]


def test_one_module_refuses_a_false_name() -> None:
    refuse = {name for name, tree in trees().items() if calls(tree, "ImpersonationError")}
    assert refuse == {DECIDES, *REFUSES}


def test_every_actor_of_a_robot_says_whom_it_serves_or_serves_nobody() -> None:
    makers = {
        name
        for name, tree in trees().items()
        for call in calls(tree, "Actor")
        if any(one.arg == "robot_id" for one in call.keywords)
    }
    assert makers == set(MAKES)
    for name in ("robots/access/personal_robot_actor.py", "robots/access/keys.py"):
        first = calls(trees()[name], "Actor")[0]
        assert {"owner_id", "owner_role"} <= {one.arg for one in first.keywords}, name


def test_the_scope_is_looked_at_in_few_places() -> None:
    found = {
        name
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and "ACT_FOR" in ast.unparse(node)
    }
    assert found - {DECIDES} <= set(ASKS_FOR_THE_SCOPE)
