"""Find the sentences of a template, and put those of another language in their place.

A template is written in English and holds no marks. Its sentences are what stands between two block
elements of HTML (a paragraph, a cell, a button), with the links, values and conditions inside:
a translator gets the whole sentence and may order it as the other language wants. Also sentences
are the attributes that are read out or shown (ATTRIBUTES), and the words that a template gives to
another one (ARGUMENTS).

The key of a sentence (`msgid` of gettext) is its source with single spaces. In it a tag of HTML
stands without its attributes, and an included template by its name: `<a>`, `{% when %}`; a second
one of the name has a number, `<a2>`.

Linear in the length of the template; pure, without Django's settings.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from config.languages.sentence_borders import divide, list_runs
from config.languages.template_pieces import (
    BASE,
    HTML,
    VOID,
    WORD,
    hide,
    html_name,
    included,
    is_tag,
    list_starts,
    says_something,
    show,
    split_pieces,
    tag_name,
)

# Attributes whose value is read out or shown.
ATTRIBUTES = (
    *("title", "placeholder", "aria-label", "aria-description", "alt", "data-command"),
    "data-label",
)
# Arguments of `include` and `with` that are shown.
ARGUMENTS = (
    *("label", "title", "text", "action_label", "optional_word", "leave_word", "confirm_word"),
    *("caption", "change", "all_label"),
)
_ATTRIBUTE = re.compile(r"([\w-]+)=(\"[^\"]*\"|'[^']*')")
_ARGUMENT = re.compile(r"\b(\w+)=(\"[^\"]*\"|'[^']*')")
_KEY_TAG = re.compile(r"<(/?)([a-z]+\d*)>|{% (\w+) %}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """begin, end: its place in the source. key: the msgid. parts: the source of what is short in
    the key (`<a>`, `{% when %}`)."""

    begin: int
    end: int
    key: str
    parts: dict[str, str]


def translate_template(source: str, translate: Callable[[str], str]) -> str:
    """The template in another language. translate: from a key to its sentence; one that gives
    the key back leaves the source as it is."""
    result, end = [], 0
    for sentence in find_sentences(source):
        result.append(source[end : sentence.begin])
        end = sentence.end
        other = translate(sentence.key)
        if other == sentence.key:
            other = source[sentence.begin : sentence.end]
            result.append(_translate_inside(other, translate))
        else:
            result.append(_expand(other, sentence.parts, translate))
    result.append(source[end:])
    return "".join(result)


def all_keys(source: str) -> Iterator[str]:
    """Every key of a template, those of attributes and arguments too."""
    for sentence in find_sentences(source):
        yield sentence.key
        for part in (source[sentence.begin : sentence.end], *sentence.parts.values()):
            yield from _inner_keys(part)


def _inner_keys(part: str) -> Iterator[str]:
    keys: list[str] = []

    def note(key: str) -> str:
        keys.append(key)
        return key

    _translate_inside(part, note)
    yield from keys


def _expand(text: str, parts: dict[str, str], translate: Callable[[str], str]) -> str:
    """The sentence with the whole of what was short in its key."""

    def whole(short: re.Match[str]) -> str:
        return _translate_inside(parts.get(short[0], short[0]), translate)

    return _KEY_TAG.sub(whole, text)


def _translate_inside(source: str, translate: Callable[[str], str]) -> str:
    """The attributes and arguments in a piece of source that are shown, in the other language."""
    hidden, tags = hide(source)
    changed, end = [], 0
    for tag in HTML.finditer(hidden):
        changed.append(hidden[end : tag.start()])
        changed.append(_translate_attributes(tag[0], tags, translate))
        end = tag.end()
    changed.append(hidden[end:])
    return show("".join(changed), [_translate_arguments(tag, translate) for tag in tags])


def _translate_attributes(tag: str, tags: list[str], translate: Callable[[str], str]) -> str:
    def changed(found: re.Match[str]) -> str:
        if found[1] not in ATTRIBUTES:
            return found[0]
        value = show(found[2][1:-1], tags)
        if not says_something(found[2][1:-1], tags):
            return found[0]
        other = translate(" ".join(value.split()))
        return found[0] if other == " ".join(value.split()) else f'{found[1]}="{other}"'

    return _ATTRIBUTE.sub(changed, tag)


def _translate_arguments(tag: str, translate: Callable[[str], str]) -> str:
    if not re.match(r"{%\s*(?:include|with)\b", tag):
        return tag

    def changed(found: re.Match[str]) -> str:
        value = found[2][1:-1]
        if found[1] not in ARGUMENTS or not WORD.search(value):
            return found[0]
        other = translate(value)
        return found[0] if other == value else f'{found[1]}="{other}"'

    return _ARGUMENT.sub(changed, tag)


def find_sentences(source: str) -> list[Sentence]:
    """The sentences of a template in their order; none lies inside another."""
    hidden, tags = hide(source)
    starts = list_starts(hidden, tags)
    found: list[Sentence] = []
    for begin, end in list_runs(hidden, tags):
        found.extend(
            _sentence(hidden, tags, starts, *one) for one in divide(hidden, tags, begin, end)
        )
    found.extend(_sentences_outside(hidden, tags, starts, found))
    return sorted(found, key=lambda one: one.begin)


def _sentence(hidden: str, tags: list[str], starts: list[int], begin: int, end: int) -> Sentence:
    """The sentence with its key."""
    parts: dict[str, str] = {}
    names: dict[str, str] = {}
    open_: list[str] = []
    key = []
    for a, b in split_pieces(hidden[begin:end], tags):
        piece = hidden[begin + a : begin + b]
        if piece.startswith("<") and html_name(piece):
            key.append(_short_html(show(piece, tags), parts, names, open_))
        elif len(piece) == 1 and is_tag(piece) and included(piece, tags):
            whole = show(piece, tags)
            key.append(
                names.get(whole) or _short(whole, "{{% {} %}}", included(piece, tags), parts, names)
            )
        else:
            key.append(show(piece, tags))
    text = " ".join("".join(key).split())
    return Sentence(starts[begin], starts[end], text, parts)


def _short_html(tag: str, parts: dict[str, str], names: dict[str, str], open_: list[str]) -> str:
    name = html_name(tag)
    if tag.startswith("</"):
        short = open_.pop() if open_ else f"<{name}>"
        close = short.replace("<", "</")
        parts.setdefault(close, tag)
        return close
    whole = tag
    short = names.get(whole) or _short(whole, "<{}>", name, parts, names)
    if name not in VOID and name != "svg":
        open_.append(short)
    return short


def _short(whole: str, form: str, name: str, parts: dict[str, str], names: dict[str, str]) -> str:
    number = 1
    while (short := form.format(name if number == 1 else f"{name}{number}")) in parts:
        number += 1
    parts[short], names[whole] = whole, short
    return short


def _sentences_outside(
    hidden: str, tags: list[str], starts: list[int], found: list[Sentence]
) -> Iterator[Sentence]:
    """The attributes and arguments that stand in no sentence."""
    inside = sorted((one.begin, one.end) for one in found)

    def is_free(at: int) -> bool:
        number = bisect_right(inside, at, key=lambda place: place[0]) - 1
        return number < 0 or at >= inside[number][1]

    for tag in HTML.finditer(hidden):
        if not is_free(starts[tag.start()]):
            continue
        for one in _ATTRIBUTE.finditer(tag[0]):
            if one[1] in ATTRIBUTES and says_something(one[2][1:-1], tags):
                begin = starts[tag.start() + one.start(2) + 1]
                end = starts[tag.start() + one.end(2) - 1]
                yield Sentence(begin, end, " ".join(show(one[2][1:-1], tags).split()), {})
    for at, sign in enumerate(hidden):
        if is_tag(sign) and is_free(starts[at]) and tag_name(sign, tags) in ("include", "with"):
            for one in _ARGUMENT.finditer(tags[ord(sign) - BASE]):
                if one[1] in ARGUMENTS and WORD.search(one[2]):
                    begin, end = starts[at] + one.start(2) + 1, starts[at] + one.end(2) - 1
                    yield Sentence(begin, end, one[2][1:-1], {})
