"""Read the source of a template in pieces: tags of HTML, tags of Django, and the text between them.

In what the functions take (`hidden`), each tag of Django is one sign, so that a quote or a bracket
in it is none of HTML's; `tags` are the tags that the signs stand for. Linear in the length.
"""

import re

VOID = frozenset(
    [
        "br",
        "wbr",
        "img",
        "input",
        "hr",
        "meta",
        "link",
        "use",
        "rect",
        "circle",
        "line",
        "polyline",
        "path",
    ]
)
# Words inside are names that no language changes.
UNTRANSLATED = frozenset(["code", "kbd", "samp", "pre", "script", "style"])
PAIRED = frozenset(
    [
        "if",
        "for",
        "with",
        "ifchanged",
        "spaceless",
        "autoescape",
        "filter",
        "verbatim",
        "block",
        "partialdef",
    ]
)
BETWEEN = frozenset(["else", "elif", "empty"])
_TEMPLATE_TAG = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}")
_COMMENT = re.compile(r"{%\s*comment\b.*?%}.*?{%\s*endcomment\s*%}", re.DOTALL)
# Blocks of templates that hold classes of CSS.
CLASS_BLOCKS = re.compile(r"{%\s*block\s+\w+_class\s*%}[^{]*{%\s*endblock[^%]*%}")
BASE = 0xF0000
ANY = "[\U000f0000-\U000ffffd]"
HTML = re.compile(
    rf"<!--.*?-->|<!doctype[^>]*>|</?(?:[A-Za-z]|{ANY})(?:[^>\"']|\"[^\"]*\"|'[^']*')*>",
    re.DOTALL | re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_]{2,}")
_ENTITY = re.compile(r"&(?:#\w+|\w+);")
_FILTER_TEXT = re.compile(r"\|(?:pluralize|default|default_if_none|yesno|add):(\"[^\"]*\"|'[^']*')")


def hide(source: str) -> tuple[str, list[str]]:
    """The source with one sign for each tag of the template, and the tags."""
    tags: list[str] = []

    def sign(tag: re.Match[str]) -> str:
        tags.append(tag[0])
        return chr(BASE + len(tags) - 1)

    source = CLASS_BLOCKS.sub(sign, _COMMENT.sub(sign, source))
    return _TEMPLATE_TAG.sub(sign, source), tags


def show(hidden: str, tags: list[str]) -> str:
    return re.sub(ANY, lambda sign: show(tags[ord(sign[0]) - BASE], tags), hidden)


def list_starts(hidden: str, tags: list[str]) -> list[int]:
    """Where each sign begins in the source."""
    starts, at = [], 0
    for sign in hidden:
        starts.append(at)
        at += len(show(sign, tags)) if is_tag(sign) else 1
    return [*starts, at]


def is_tag(sign: str) -> bool:
    return ord(sign) >= BASE


def tag_name(sign: str, tags: list[str]) -> str:
    """The name of a tag (`if`, `include`); empty for a value, `comment` for a comment."""
    tag = tags[ord(sign) - BASE]
    if tag.startswith("{#"):
        return "comment"
    return tag[2:-2].split(None, 1)[0] if tag.startswith("{%") else ""


def included(sign: str, tags: list[str]) -> str:
    """ "when" for an included components/when.html; empty for what is no include."""
    found = re.match(r"{%\s*include\s+\"(?:\w+/)*(\w+)\.html", tags[ord(sign) - BASE])
    return found[1] if found else ""


def says_something(hidden: str, tags: list[str]) -> bool:
    """Whether there are words outside of tags."""
    plain = _ENTITY.sub(" ", HTML.sub(" ", _without_names(hidden)))
    values = "".join(tags[ord(sign) - BASE] for sign in plain if is_tag(sign))
    texts = " ".join(_FILTER_TEXT.findall(values)) + " ".join(
        re.findall(r"{{\s*(\"[^\"]*\")", values)
    )
    return bool(WORD.search(re.sub(ANY, " ", plain))) or bool(re.search(r"[^\W\d_]", texts))


def _without_names(hidden: str) -> str:
    """Without what stands inside of `<code>` and the like."""
    for name in ("code", "kbd", "samp"):
        hidden = re.sub(rf"<{name}\b[^>]*>[^<]*</{name}>", " ", hidden)
    return hidden


def split_pieces(hidden: str, tags: list[str]) -> list[tuple[int, int]]:
    """Tags of HTML, signs of tags of the template, and the text between them."""
    pieces, at, skipped_until = [], 0, 0
    wanted = re.compile(f"{HTML.pattern}|{ANY}", re.DOTALL | re.IGNORECASE)
    for found in wanted.finditer(hidden):
        if found.start() < skipped_until:
            continue
        begin, end = found.span()
        name = html_name(found[0])
        if name in ("svg", "script", "style", "pre") and not found[0].startswith("</"):
            close = hidden.find(f"</{name}>", end)
            if close >= 0 and (name != "svg" or "<text" not in hidden[end:close]):
                end = skipped_until = close + len(name) + 3
        if at < begin:
            pieces.append((at, begin))
        pieces.append((begin, end))
        at = end
    if at < len(hidden):
        pieces.append((at, len(hidden)))
    return pieces


def html_name(piece: str) -> str:
    found = re.match(r"</?([A-Za-z][\w-]*)", piece)
    return found[1].lower() if found else ""
