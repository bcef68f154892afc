"""How a line can be wrong: cosmic-ray's operators, one replacement for each thing, and two of ours.

cosmic-ray replaces each operator by every other; most of these break at once and only flatter the
score. Its numbers move by one, which says little of a weight of .05: here they move by a tenth, and
so do those in SQL.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import parso
from cosmic_ray.ast import ast_nodes, get_ast, is_number
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

COMPARED = {
    "Eq": ("NotEq",), "NotEq": ("Eq",), "Is": ("IsNot",), "IsNot": ("Is",),
    "Lt": ("LtE", "GtE"), "LtE": ("Lt", "Gt"), "Gt": ("GtE", "LtE"), "GtE": ("Gt", "Lt"),
}  # fmt: skip
COMPUTED = {
    "Add": "Sub", "Sub": "Add", "Mul": "Div", "Div": "Mul", "FloorDiv": "Mul", "Mod": "Mul",
    "Pow": "Mul", "BitAnd": "BitOr", "BitOr": "BitAnd",
}  # fmt: skip
OTHER_OPERATORS = (
    "AddNot",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_USub_UAdd",
    "ZeroIterationForLoop",
)
BARE_STAR = re.compile(r"\*\s*(?:,|$)")
NUMBER = re.compile(r"(?<![\w%.{}$'])(?<!SELECT )(?:\d+\.\d+|\.\d+|\d+)(?![\w.])")

# Numbers in statements that no answer depends on, by the piece around them.
IGNORED_NUMBERS = {
    "LIMIT 20000": "what ends a walk through many hubs; which rows it keeps is not defined",
}


def nudge_number(number: str, up: bool) -> str:
    """A little more or less: a tenth of a fraction, one of a whole number."""
    if re.fullmatch(r"[\d_]+", number):
        return str(int(number) + (1 if up else -1))
    try:
        return repr(round(float(number) * (1.1 if up else 0.9), 12))
    except ValueError:
        return number


class NudgeNumber(Operator):
    """A number becomes a little larger, or a little smaller."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if is_number(node):
            yield from ((node.start_pos, node.end_pos) for _ in range(2))

    def mutate(self, node: Any, index: int) -> Any:
        new = nudge_number(node.value, up=index == 0)
        return parso.python.tree.Number(node.prefix + new, node.start_pos)

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class NudgeSqlNumber(Operator):
    """A number in a statement becomes a little larger."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        for _ in self._numbers(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        found = self._numbers(node)[index]
        value = (
            node.value[: found.start()]
            + nudge_number(found[0], up=True)
            + node.value[found.end() :]
        )
        return type(node)(*self._made(node, value))

    @staticmethod
    def _made(node: Any, value: str) -> tuple[Any, ...]:
        return value, node.start_pos, node.prefix

    @staticmethod
    def _numbers(node: Any) -> list[re.Match[str]]:
        is_text = node.type in ("string", "fstring_string")
        if is_text and node.parent is not None and node.parent.type == "simple_stmt":
            return []  # a docstring
        if is_text and re.search(r"\b(SELECT|UPDATE|CASE WHEN|coalesce|count\(|ln\()", node.value):
            spans = [
                m.span()
                for piece in IGNORED_NUMBERS
                for m in re.finditer(re.escape(piece), node.value)
            ]
            numbers = NUMBER.finditer(node.value)
            return [n for n in numbers if not any(a <= n.start() < b for a, b in spans)]
        return []

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


def operators() -> dict[str, Operator]:
    """Every way to be wrong, by name."""
    names = [f"ReplaceComparisonOperator_{a}_{b}" for a, some in COMPARED.items() for b in some]
    names += [f"ReplaceBinaryOperator_{a}_{b}" for a, b in COMPUTED.items()]
    found: dict[str, Operator] = {
        name: get_operator(f"core/{name}")() for name in (*names, *OTHER_OPERATORS)
    }
    return found | {"Nudge": NudgeNumber(), "NudgeInSql": NudgeSqlNumber()}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong line: what, where and which occurrence."""

    module: str
    operator: str
    occurrence: int
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.operator} #{self.occurrence}"


def mutants_of(root: Path, module: str) -> list[Mutant]:
    """Every mutant of a module that changes what it does.

    Annotations and decorators (a cache's size, frozen, slots) change nothing that can be observed,
    and the bare star of a signature, which cosmic-ray takes for a product, computes nothing.
    """
    source = (root / module).read_text(encoding="utf-8")
    silent = annotations(source)
    lines = source.splitlines()
    nodes = list(ast_nodes(get_ast(source)))
    found = []
    for name, operator in operators().items():
        positions = [p for node in nodes for p in operator.mutation_positions(node)]
        found += [
            Mutant(module, name, n, start[0])
            for n, (start, _) in enumerate(positions)
            if not any(a <= tuple(start) < b for a, b in silent)
            and not BARE_STAR.match(lines[start[0] - 1], start[1])
        ]
    return found


Span = tuple[tuple[int, int], tuple[int, int]]


@cache
def annotations(source: str) -> tuple[Span, ...]:
    """From where to where the annotations and decorators of a module reach."""
    nodes: list[Any] = []
    for node in ast.walk(ast.parse(source)):
        nodes += [getattr(node, "annotation", None), getattr(node, "returns", None)]
        nodes += getattr(node, "decorator_list", [])
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
            names = [n for n in ast.walk(node.value) if isinstance(n, ast.Name | ast.Subscript)]
            if names and isinstance(node.value.op, ast.BitOr):
                nodes.append(node.value)  # a type under a name
    return tuple(
        ((n.lineno, n.col_offset), (n.end_lineno, n.end_col_offset)) for n in nodes if n is not None
    )


def apply_mutant(source: str, mutant: Mutant) -> str | None:
    """The source with that mutant in it; None where nothing changes."""
    code: str | None = mutate_code(source, operators()[mutant.operator], mutant.occurrence)
    return None if code == source else code
