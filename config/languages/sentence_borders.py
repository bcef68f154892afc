"""Where a sentence of a template begins and ends."""

import re
from collections.abc import Iterator

from config.languages.template_pieces import (
    BETWEEN,
    HTML,
    PAIRED,
    UNTRANSLATED,
    VOID,
    html_name,
    included,
    is_tag,
    says_something,
    split_pieces,
    tag_name,
)

BLOCK_CLASSES = frozenset(["button", "menu-item", "nav-link", "choice", "tab", "mark", "actions"])
INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "br",
        "code",
        "em",
        "i",
        "kbd",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "var",
        "wbr",
    ]
)
# Tags of templates that stand between sentences.
BREAKING = frozenset(
    [
        "block",
        "endblock",
        "partialdef",
        "endpartialdef",
        "partial",
        "extends",
        "load",
        "regroup",
        "csrf_token",
        "comment",
        "endcomment",
        "htmx_script",
        "localize",
        "endlocalize",
    ]
)
# Included templates that stand inside a sentence.
INSIDE = frozenset(["when", "icon", "badge", "badge_audience", "keycap", "quote"])
# Of these, what is no part of the sentence at its begin or end.
AT_THE_EDGE = frozenset(["icon", "badge", "badge_audience", "keycap"])


def list_runs(hidden: str, tags: list[str]) -> list[tuple[int, int]]:
    """What stands between two block elements, or tags of the template that hold one."""
    pieces = split_pieces(hidden, tags)
    breaks = [_breaks(hidden[begin:end], tags) for begin, end in pieces]
    _break_outer_tags(hidden, tags, pieces, breaks)
    runs, since = [], None
    for (begin, _), is_break in zip(pieces, breaks, strict=True):
        if is_break:
            if since is not None:
                runs.append((since, begin))
            since = None
        elif since is None:
            since = begin
    if since is not None:
        runs.append((since, len(hidden)))
    return [run for run in runs if run[0] < run[1]]


def _breaks(piece: str, tags: list[str]) -> bool:
    if len(piece) == 1 and is_tag(piece):
        name = tag_name(piece, tags)
        return name in BREAKING or (name == "include" and included(piece, tags) not in INSIDE)
    if not piece.startswith("<"):
        return False
    name = html_name(piece)
    if name == "svg":
        return "</svg>" not in piece
    if name not in INLINE:
        return True
    found = re.search(r"\bclass=\"([^\"]*)\"", piece)
    return bool(found and BLOCK_CLASSES & set(found[1].split()))


def _break_outer_tags(
    hidden: str, tags: list[str], pieces: list[tuple[int, int]], breaks: list[bool]
) -> None:
    """A condition or a loop that holds a block element is a border itself. Also the end of a link
    whose begin is one."""
    open_: list[tuple[str, list[int], int]] = []
    links: list[bool] = []
    count = 0
    for number, place in enumerate(pieces):
        piece = hidden[slice(*place)]
        if re.match(r"<(?:a|span)\b", piece):
            links.append(breaks[number])
        elif piece.startswith(("</a>", "</span>")) and links:
            breaks[number] = links.pop()
        count += breaks[number]
        if len(piece) != 1 or not is_tag(piece):
            continue
        name = tag_name(piece, tags)
        if name in PAIRED:
            open_.append((name, [number], count - breaks[number]))
        elif name in BETWEEN and open_:
            open_[-1][1].append(number)
        elif name.startswith("end") and open_ and open_[-1][0] == name[3:]:
            _, members, before = open_.pop()
            if count - breaks[number] > before:
                for member in (*members, number):
                    count += not breaks[member]
                    breaks[member] = True


def divide(hidden: str, tags: list[str], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a run: without what stands around them, and each by itself where no word
    stands between elements."""
    begin, end = _trim(hidden, tags, begin, end)
    if begin >= end or not says_something(hidden[begin:end], tags):
        return
    nodes = _nodes(hidden, tags, begin, end)
    plain = [hidden[a:b] for a, b, is_node in nodes if not is_node]
    if all(not re.search(r"\w", text) and not _has_value(text, tags) for text in plain):
        inner = [_inside(hidden, tags, a, b) for a, b, is_node in nodes if is_node]
        if len(inner) > 1 or inner[0] != [(begin, end)]:
            for one in inner:
                for a, b in one:
                    yield from divide(hidden, tags, a, b)
            return
    yield begin, end


def _has_value(text: str, tags: list[str]) -> bool:
    return any(is_tag(sign) and (not tag_name(sign, tags) or included(sign, tags)) for sign in text)


def _trim(hidden: str, tags: list[str], begin: int, end: int) -> tuple[int, int]:
    """Without spaces, pictures and badges at both ends."""
    pieces = []
    for a, b in split_pieces(hidden[begin:end], tags):
        text = hidden[begin + a : begin + b]
        spaces = len(text) - len(text.lstrip()) if not text.isspace() else 0
        behind = len(text) - len(text.rstrip()) if not text.isspace() else 0
        pieces.append((begin + a + spaces, begin + b - behind))
    while pieces and _is_edge(hidden[slice(*pieces[0])], tags):
        pieces.pop(0)
    while pieces and _is_edge(hidden[slice(*pieces[-1])], tags):
        pieces.pop()
    return (pieces[0][0], pieces[-1][1]) if pieces else (end, end)


def _is_edge(piece: str, tags: list[str]) -> bool:
    if len(piece) == 1 and is_tag(piece):
        return included(piece, tags) in AT_THE_EDGE or tag_name(piece, tags) == "comment"
    return not piece.strip() or html_name(piece) in ("br", "svg")


def _nodes(hidden: str, tags: list[str], begin: int, end: int) -> list[tuple[int, int, bool]]:
    """(begin, end, whether it is an element of HTML or a condition) of the outermost level."""
    nodes: list[tuple[int, int, bool]] = []
    stack: list[str] = []
    since = begin
    for from_, to in split_pieces(hidden[begin:end], tags):
        a, b = from_ + begin, to + begin
        piece = hidden[a:b]
        opens, closes = _level(piece, tags)
        if opens:
            if not stack:
                if since < a:
                    nodes.append((since, a, False))
                since = a
            stack.append(opens)
        elif closes and stack and closes in stack:
            while stack.pop() != closes:
                pass
            if not stack:
                nodes.append((since, b, True))
                since = b
    if since < end:
        nodes.append((since, end, False))
    return nodes


def _level(piece: str, tags: list[str]) -> tuple[str, str]:
    """(what it opens, what it closes); both empty for a text."""
    if len(piece) == 1 and is_tag(piece):
        name = tag_name(piece, tags)
        return (
            (name, "") if name in PAIRED else ("", name.removeprefix("end") * (name[:3] == "end"))
        )
    name = html_name(piece)
    if not name or name in VOID or name == "svg":
        return "", ""
    return ("", f"<{name}") if piece.startswith("</") else (f"<{name}", "")


def _inside(hidden: str, tags: list[str], begin: int, end: int) -> list[tuple[int, int]]:
    """What an element holds; of a condition what each of its branches holds."""
    first = hidden[begin]
    if not is_tag(first):
        open_ = HTML.match(hidden, begin)
        if open_ is None or html_name(open_[0]) in UNTRANSLATED:
            return []
        return [(open_.end(), hidden.rindex("</", begin, end))]
    parts, since, depth = [], begin + 1, 0
    for at in range(begin + 1, end):
        if not is_tag(hidden[at]):
            continue
        name = tag_name(hidden[at], tags)
        depth += (name in PAIRED) - (name[:3] == "end" and name[3:] in PAIRED)
        if (not depth and name in BETWEEN) or depth < 0:
            parts.append((since, at))
            since = at + 1
    return parts
