"""Every pure rule over text and every pattern of the code base, found by looking at the modules.

A new rule is found by itself. What it takes is made from its annotations; one of a kind that is
unknown here fails with its name, so that nothing is passed over in silence.
"""

import dataclasses
import importlib
import inspect
import io
import pkgutil
import re
import types
import typing
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from enum import Enum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import orjson

from memories.safety.plain_text import PlainText, to_plain_text
from memories.safety.prefilter import PrefilteredPattern
from tests.architecture.source import pure_modules
from tests.texts.text_generators import split_names

# Reads what people upload; it is no rule, but it reads text as well.
MODULES = ("memories.ingestion.file_import.import_lines",)
# Where else patterns are kept.
PATTERNS = ("memories", "robots", "orgs", "personas")
# These read files of the product itself, a line at a time.
PRODUCT_DATA_MODULES = ("memories.demo", "memories.evaluation")
# Parameters and fields that hold a name or a label, as long as the surfaces let them be.
_NAMES = """
speaker name names people known tags wanted addressed topic role visibility type_ type category kind
profile pronoun wish at key reference conversation
"""
# These hold the product's own tables; what searches a text with them is a rule of its own.
TABLE_MODULES = ("memories.language.vocabularies.phrases",)
NAMES = frozenset(_NAMES.split())
NAME = 300
LONGEST = 10_000_000
FIXED_VALUES: dict[Any, Any] = {
    ZoneInfo: ZoneInfo("UTC"),
    int: 5, float: 0.5, bool: True,
    UUID: UUID(int=1), datetime: datetime(2026, 1, 1, tzinfo=UTC), date: date(2026, 1, 1),
    tzinfo: UTC, type(None): None,
}  # fmt: skip
COPIES = 3
OWN_PACKAGES = ("memories.", "robots.", "orgs.", "personas.")
# What does not take just any number.
SMALL_ARGUMENTS: dict[str, dict[str, Any]] = {
    "WindowProfile": {"window": 40, "overlap": 2},
    "Anchors": {"entries": "passw* password"},
}

Rule = tuple[str, Callable[[str], Any]]


class UnknownParameterError(TypeError):
    """A rule takes something that cannot be made here yet."""


def iter_modules(*packages: str) -> Iterator[types.ModuleType]:
    for name in packages:
        try:
            package = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        yield package
        for found in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{name}."):
            if ".migrations" not in found.name and ".management" not in found.name:
                yield importlib.import_module(found.name)


def list_rules() -> list[Rule]:
    """(name, call with a text) of every public function and method over text."""
    found: list[Rule] = []
    for module in iter_modules(*pure_modules(), *MODULES):
        if module.__name__ in TABLE_MODULES:
            continue
        for name, thing in sorted(vars(module).items()):
            if name.startswith("_") or getattr(thing, "__module__", "") != module.__name__:
                continue
            where = f"{module.__name__}.{name}"
            if inspect.isclass(thing):
                found += _methods(where, thing)
            elif callable(thing) and not isinstance(thing, typing.NewType) and _reads_text(thing):
                found.append((where, _call(thing)))
    return found


def list_patterns() -> dict[str, re.Pattern[str]]:
    """Every compiled pattern that a module keeps, by its place."""
    found: dict[str, re.Pattern[str]] = {}
    for module in iter_modules(*PATTERNS):
        if module.__name__.startswith(PRODUCT_DATA_MODULES):
            continue
        for name, thing in vars(module).items():
            for number, pattern in enumerate(_iter_patterns(thing)):
                if pattern not in found.values() and isinstance(pattern.pattern, str):
                    found[f"{module.__name__}.{name}{f'[{number}]' if number else ''}"] = pattern
    return found


def _iter_patterns(thing: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(thing, re.Pattern):
        yield thing
    elif isinstance(thing, PrefilteredPattern):
        yield thing.pattern
    elif isinstance(thing, tuple | list):
        for one in thing:
            yield from _iter_patterns(one)
    elif isinstance(thing, dict):
        for one in thing.values():
            yield from _iter_patterns(one)


def _methods(where: str, class_: type) -> list[Rule]:
    """Public methods and properties; the object itself is made from the text as well."""
    # What is read from a stream is a rule of whoever reads it.
    kinds = Enum | BaseException | io.IOBase
    if issubclass(class_, kinds) or getattr(class_, "_is_protocol", False):
        return []
    found: list[Rule] = []
    for name, thing in vars(class_).items():
        if name.startswith("_"):
            continue
        if isinstance(thing, property):
            found.append((f"{where}.{name}", _property(class_, name)))
        elif inspect.isfunction(thing):
            found.append((f"{where}.{name}", _method(class_, name)))
    return found if _holds_text(class_) else [r for r in found if not r[0].endswith(".step")]


def _property(class_: type, name: str) -> Callable[[str], Any]:
    return lambda text: getattr(make_value(class_, name, text), name)


def _method(class_: type, name: str) -> Callable[[str], Any]:
    def call(text: str) -> Any:
        method = getattr(make_value(class_, name, text), name)
        taken = arguments(method, text)
        try:
            return _consume(method(**taken))
        except (ValueError, OSError):
            return None  # as in `_call`

    return call


def _call(function: Callable[..., Any]) -> Callable[[str], Any]:
    def call(text: str) -> Any:
        taken = arguments(function, text)
        try:
            return _consume(function(**taken))
        except (ValueError, OSError):
            return None  # it may refuse, in good time

    return call


def _consume(answer: Any) -> Any:
    """What is lazy is gone through, for the work lies there."""
    return list(answer) if isinstance(answer, Iterator) else answer


def _reads_text(function: Callable[..., Any]) -> bool:
    """Whether any parameter can hold text."""
    hints = typing.get_type_hints(inspect.unwrap(function))
    return any(_is_textual(hint) for name, hint in hints.items() if name != "return")


def _is_textual(hint: Any, within: tuple[Any, ...] = ()) -> bool:
    """within: the classes whose fields are being asked, which may hold each other."""
    if typing.get_origin(hint) is np.ndarray:
        return False
    if hint in (str, bytes, Any) or isinstance(hint, typing.TypeVar):
        return True
    if dataclasses.is_dataclass(hint) or getattr(hint, "_is_protocol", False):
        return hint not in within and _holds_text(hint, (*within, hint))
    return any(_is_textual(one, within) for one in typing.get_args(hint))


def _holds_text(class_: Any, within: tuple[Any, ...] = ()) -> bool:
    own, made_of = typing.get_type_hints(class_), typing.get_type_hints(class_.__init__)
    return any(_is_textual(hint, within) for hint in (*own.values(), *made_of.values()))


def arguments(function: Callable[..., Any], text: str) -> dict[str, Any]:
    """Everything that a function takes, made of the text."""
    plain = inspect.unwrap(function)
    hints = typing.get_type_hints(plain)
    return {
        name: make_value(hints[name], name, text)
        for name in inspect.signature(plain).parameters
        if name != "self"
    }


def make_value(hint: Any, name: str, text: str) -> Any:  # noqa: PLR0911, PLR0912
    """A value of this type with the text in it, as long as its place lets it be."""
    origin, of = typing.get_origin(hint), typing.get_args(hint)
    if hint is str and name == "char":
        return text[:1]
    if hint in (str, Any):
        return text[:NAME] if name in NAMES else text
    if hint is bytes:  # a line of an import
        return orjson.dumps({"text": text, "speaker": text[:NAME], "audience": split_names(text)})
    if name == "language":  # it is found in the text, and nothing is left out because of it
        return None
    if name == "longest":  # what limits the text limits none here
        return LONGEST
    if hint in FIXED_VALUES:
        return FIXED_VALUES[hint]
    if hint == typing.IO[bytes]:
        return io.BytesIO(text.encode())
    if origin is Callable and of == ([], typing.IO[bytes]):
        return lambda: io.BytesIO(text.encode())
    if origin in (types.UnionType, typing.Union):
        return make_value(next(one for one in of if one is not type(None)), name, text)
    if origin is typing.Literal:
        return of[0]
    if origin in (list, tuple, set, frozenset, Sequence, Iterable, Collection):
        return _make_collection(origin, of[0], name, text)
    if origin in (dict, Mapping):
        key, value = (make_value(one, name, text) for one in of)
        return {key: value}
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return next(iter(hint))
    if origin is re.Pattern:
        return re.compile("a+")
    if inspect.isclass(hint) and issubclass(hint, re.Match):
        raise UnknownParameterError(f"{name}: {hint}")
    if inspect.isclass(hint) and hint.__module__.startswith(OWN_PACKAGES):
        if getattr(hint, "_is_protocol", False):
            own = {k: v.fget for k, v in vars(hint).items() if isinstance(v, property)}
            returns = {k: typing.get_type_hints(get)["return"] for k, get in own.items()}
            return types.SimpleNamespace(**{k: make_value(v, k, text) for k, v in returns.items()})
        if issubclass(hint, tuple):  # a NamedTuple
            fields = typing.get_type_hints(hint)
            return hint(**{name: make_value(of, name, text) for name, of in fields.items()})
        if hint is PlainText:  # its places belong to its text
            return to_plain_text(text)
        return hint(**SMALL_ARGUMENTS.get(hint.__name__, {}) or arguments_of(hint, text))
    if isinstance(hint, typing.TypeVar):
        bound = hint.__bound__
        return text if bound in (None, Hashable) else make_value(bound, name, text)
    raise UnknownParameterError(f"{name}: {hint}")


def arguments_of(class_: type, text: str) -> dict[str, Any]:
    init = class_.__init__  # type: ignore[misc]
    hints = typing.get_type_hints(init)
    empty = {"quoted", "turns"}
    return {
        name: make_value(hints[name], name, text)
        for name, one in inspect.signature(init).parameters.items()
        if name != "self" and not (name in empty and one.default is not one.empty)
        and hints[name] is not class_
        and not (class_ in typing.get_args(hints[name]) and one.default is not one.empty)
    }  # fmt: skip


def _make_collection(origin: Any, of: Any, name: str, text: str) -> Any:
    if of is str and name in NAMES:
        found: list[Any] = list(split_names(text))
    else:
        found = [make_value(of, name, text) for _ in range(COPIES)]
    if origin in (tuple,):
        return tuple(found)
    if origin in (set, frozenset, Collection):
        return origin(found) if origin is not Collection else found
    return found
