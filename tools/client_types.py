"""The types of the Python client: `python -m tools.client_types` writes them from the description.

With a file as its argument it writes the whole description there, for the client in TypeScript.

Of each operation that the client calls there are the fields of its body and query, as keywords of
the method, and all types of its answers. What the client does not call is left out, so most changes
of the API leave the file as it is (docs/adr/0046-client.md).
"""

import keyword
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "clients/python/src/commonmind/schema.py"
HEAD = '''"""What calls take, and the types of their answers, from the OpenAPI description.

Written by `python -m tools.client_types`; a test compares it with the description. All types are
plain dictionaries, so fields that a newer server adds stay in an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from datetime import datetime

    from typing_extensions import NotRequired
'''
# Of each operation: the name of its keywords, and what the client's method has by position or
# makes itself. Of an operation with an empty name the keywords are those of another one.
PAGED = "cursor", "limit"
OPERATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "answer": ("AnswerFields", ("query", "stream")),
    "block_entries_create": ("BlockEntryFields", ("text",)),
    "blocks_get": ("", ()),
    "blocks_list": ("", ()),
    "blocks_put": ("BlockTextFields", ("text", "version")),
    "changes_list": ("", ()),
    "context": ("ContextFields", ("query",)),
    "decisions_get": ("", ()),
    "decisions_list": ("DecisionFilters", PAGED),
    "decisions_record": ("DecisionFields", ("conclusion",)),
    "experts": ("ExpertFilters", ("topic", *PAGED)),
    "exports_create": ("ExportFields", ()),
    "feedback": ("FeedbackFields", ()),
    "groups_list": ("GroupFilters", PAGED),
    "import_subscriptions_change": ("ImportFolderChanges", ()),
    "import_subscriptions_create": ("ImportFolderFields", ("folder",)),
    "import_subscriptions_list": ("", ()),
    "import_subscriptions_remove": ("", ()),
    "imports_create": ("ImportFields", ("file", "dry_run")),
    "jobs_cancel": ("", ()),
    "jobs_drop": ("", ()),
    "jobs_file": ("", ()),
    "jobs_get": ("", ()),
    "jobs_list": ("JobFilters", PAGED),
    "jobs_resume": ("", ()),
    "jobs_retry": ("", ()),
    "jobs_undo": ("", ()),
    "keys_create": ("KeyFields", ("label",)),
    "keys_list": ("", ()),
    "keys_renew": ("KeyRenewFields", ()),
    "keys_revoke": ("", ()),
    "keys_update": ("KeyLimits", ()),
    "me": ("", ()),
    "members_list": ("MemberFilters", PAGED),
    "memories_batch": ("", ()),
    "memories_bulk": ("MatchChanges", ("action", "filters", "dry_run")),
    "memories_forget": ("ForgetFields", ()),
    "memories_get": ("", ()),
    "memories_history": ("", ()),
    "memories_list": ("MemoryFilters", PAGED),
    "memories_patch": ("MemoryChanges", ()),
    "memories_remember": ("RememberFields", ("content",)),
    "recall": ("RecallFields", ("query",)),
    "robots_get": ("", ()),
    "robots_list": ("", ()),
    "robots_register": ("RobotFields", ("name",)),
    "said": ("", ()),
    "snapshots_read": ("SnapshotFilters", PAGED),
    "snapshots_restore": ("", ()),
    "stats": ("", ()),
    "tasks_add": ("TaskFields", ("content",)),
    "tasks_get": ("", ()),
    "tasks_list": ("TaskFilters", PAGED),
    "tasks_patch": ("TaskChanges", ()),
    "timeline": ("", ()),
}
# Items of a batch and lines of a snapshot are what a file holds; a problem comes with any call.
# Filters of many memories are an argument.
ALWAYS = ("RememberRequest", "HeadRequest", "LineRequest", "BulkFiltersRequest", "Problem")
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
REFERENCE = "#/components/schemas/"


def expression(schema: Mapping[str, Any], *, given: bool) -> str:
    """The Python type of a schema. given: it is sent, so a time may be a datetime."""
    if "$ref" in schema:
        name: str = schema["$ref"].removeprefix(REFERENCE)
        return "None" if name == "NullEnum" else name
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            return union([expression(part, given=given) for part in schema[word]])
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if isinstance(schema.get("type"), list):
        return union([expression({**schema, "type": one}, given=given) for one in schema["type"]])
    return simple_expression(schema, given=given)


def simple_expression(schema: Mapping[str, Any], *, given: bool) -> str:
    """The same, of a schema with one type."""
    kind = schema.get("type", "")
    if kind == "array":
        return f"list[{expression(schema.get('items', {}), given=given)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        known = isinstance(values, Mapping) and values.get("type") in SCALARS
        return f"dict[str, {expression(values, given=given) if known else 'Any'}]"
    if kind == "string" and schema.get("format") == "date-time" and given:
        return "datetime | str"
    return SCALARS.get(kind, "Any")


def union(parts: list[str]) -> str:
    """Several types as one; whatever is beside `Any` says nothing."""
    single = list(dict.fromkeys(one for part in parts for one in part.split(" | ")))
    return "Any" if "Any" in single else " | ".join(single)


def iter_references(schema: Any) -> Iterator[str]:
    """The names of the components in a schema."""
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REFERENCE)
        for part in schema.values():
            yield from iter_references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from iter_references(part)


def docstring(text: str, indent: str) -> list[str]:
    """A description as a docstring; without the list of an enumeration, which the type has."""
    said = re.sub(r"(?:\n|^)\* `.*", "", text, flags=re.DOTALL).strip().replace('"""', "'''")
    if said.startswith("Unknown fields are refused"):
        return []
    paragraphs = [" ".join(part.split()) for part in said.split("\n\n") if part.strip()]
    lines = [textwrap.wrap(part, 94 - len(indent), break_long_words=False) for part in paragraphs]
    whole = [line for part in lines for line in (*part, "")][:-1]
    if not whole:
        return []
    body = "\n".join(f"{indent}{line}" if line else "" for line in whole).replace("\\", "\\\\")
    end = f'\n{indent}"""' if len(whole) > 1 else '"""'
    return [f'{indent}"""{body.removeprefix(indent)}{end}']


def typed_dict(
    name: str,
    description: str,
    fields: Mapping[str, tuple[Mapping[str, Any], bool]],
    *,
    given: bool,
) -> str:
    """A class with a key for each field: (its schema, whether it is always there)."""
    lines = [f"class {name}(TypedDict):", *docstring(description, "    ")]
    body = []
    for field, (schema, required) in fields.items():
        if not field.isidentifier() or keyword.iskeyword(field):
            continue  # such as `metadata.<name>`; the class is open for them at run time
        found = expression(schema, given=given)
        body.append(f"    {field}: {found if required else f'NotRequired[{found}]'}")
        body += docstring(schema.get("description", ""), "    ")
    if not body and len(lines) == 1:
        body = ["    pass"]
    return "\n".join([*lines, *body])


class Writer:
    """Puts the file together from a description."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        self.components: Mapping[str, Any] = description["components"]["schemas"]
        self.operations: dict[str, Mapping[str, Any]] = {
            operation["operationId"]: operation
            for path in description["paths"].values()
            for operation in path.values()
            if isinstance(operation, Mapping) and "operationId" in operation
        }

    def body_name(self, operation: Mapping[str, Any]) -> str | None:
        content = operation.get("requestBody", {}).get("content", {})
        kind = "application/json" if "application/json" in content else "multipart/form-data"
        schema = content.get(kind, {}).get("schema", {})
        return next(iter_references(schema), None)

    def keywords(
        self, operation: str, name: str, left_out: tuple[str, ...]
    ) -> tuple[str, set[str]]:
        """The class of the keywords, and the components that it names."""
        described = self.operations[operation]
        fields: dict[str, tuple[Mapping[str, Any], bool]] = {}
        if body := self.body_name(described):
            required = self.components[body].get("required", ())
            for field, schema in self.components[body]["properties"].items():
                fields[field] = schema, field in required
        for one in described.get("parameters", ()):
            if one["in"] == "query":
                schema = {**one["schema"], "description": one.get("description", "")}
                fields[one["name"]] = schema, one.get("required", False)
        kept = {field: value for field, value in fields.items() if field not in left_out}
        named = {ref for schema, _ in kept.values() for ref in iter_references(schema)}
        about = f"What `{operation}` takes beside its arguments."
        return typed_dict(name, about, kept, given=True), named

    def component(self, name: str) -> str:
        schema = self.components[name]
        if "properties" not in schema:
            return f"{name} = {expression(schema, given=False)}"
        required = schema.get("required", ())
        fields = {field: (one, field in required) for field, one in schema["properties"].items()}
        given = name.endswith("Request")
        return typed_dict(name, schema.get("description", ""), fields, given=given)

    def text(self) -> str:
        parts, wanted = [], set(ALWAYS)
        for operation, (name, left_out) in sorted(OPERATIONS.items()):
            for status, answer in self.operations[operation]["responses"].items():
                if status.startswith("2"):
                    wanted |= set(iter_references(answer))
            if name:
                text, named = self.keywords(operation, name, left_out)
                parts.append(text)
                wanted |= named
        done: set[str] = set()
        while left := wanted - done:
            done |= left
            for name in left:
                wanted |= set(iter_references(self.components[name]))
        classes = sorted(done - {"NullEnum"})
        # Aliases are evaluated when the module is loaded, so they come first.
        classes.sort(key=lambda name: "properties" in self.components[name])
        return "\n\n".join([HEAD, *(self.component(name) for name in classes), *parts]) + "\n"


def formatted(text: str) -> str:
    """As `ruff format` leaves it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def build_description() -> dict[str, Any]:
    """The OpenAPI description of this source."""
    from drf_spectacular.generators import SchemaGenerator

    description: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return description


def build_types() -> str:
    """The whole text of the file, from the description of this source."""
    return formatted(Writer(build_description()).text())


def main() -> None:
    # No connection is made: a description needs none.
    os.environ.setdefault("DATABASE_URL", "postgres://nobody@localhost/none")
    os.environ.setdefault("REDIS_URL", "redis://localhost/0")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.lint")
    import django

    django.setup()
    if sys.argv[1:]:
        from orgs.api.json_format import JSONRenderer

        Path(sys.argv[1]).write_bytes(JSONRenderer().render(build_description()))
    else:
        TARGET.write_text(build_types(), encoding="utf-8")


if __name__ == "__main__":
    main()
