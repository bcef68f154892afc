"""HTML and Markdown as blocks below headings, without what a reader of the page would not see."""

import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from memories.ingestion.documents.document_parts import (
    MAX_LEVELS,
    Block,
    DocumentError,
    clean_heading,
    clean_text,
)

MAX_NODES, MAX_DEPTH = 1_000_000, 500
# Rules of style sheets that hide something or set a background; and characters of one selector.
MAX_RULES, MAX_SELECTOR = 500, 300
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# No text of the page: code, what stands for something else, what is filled in, ways to other pages.
_SKIPPED = frozenset((
    "script", "style", "head", "title", "template", "noscript", "iframe", "object", "embed", "svg",
    "math", "canvas", "audio", "video", "nav", "button", "select", "option", "datalist", "input",
    "textarea", "noframes", "xmp",
))  # fmt: skip
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr",
    "html", "legend", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "tfoot", "thead", "tr", "ul", *_HEADINGS,
))  # fmt: skip
_CELLS = ("td", "th")
_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0+)?(?:[;!]|$)"
    r"|font-size:(?:0|[01](?:\.\d+)?p[xt])(?:[a-z%.0]{0,5})(?:[;!]|$)|color:transparent"
    r"|(?:text-indent|left|top|right|margin-left):-\d{3,}|clip:rect\(0|clip-path:inset\((?:50|100)%"
)
_WHITE = re.compile(
    r"(?:^|;)color:(?:#fff(?:fff)?|white|rgba?\(255,255,255(?:,[\d.]+)?\)|hsl\([^)]{0,20}100%\))"
    r"(?:[;!]|$)"
)
_BACKGROUND = re.compile(r"(?:^|;)background(?:-color|-image)?:(?!none|#fff|white|transparent)")
# In these a comma divides no list.
_NESTED_SELECTOR = re.compile(r"""[(\["'\\]""")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SPACE = re.compile(r"\s+")
_FRONT_MATTER = "---"
HIDDEN, GROUND, WHITE = "hidden", "ground", "white"


def parse_markdown(text: str) -> str:
    """Markdown as HTML, with the HTML that stands in it."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if plain.startswith(_FRONT_MATTER + "\n"):
        end = plain.find(f"\n{_FRONT_MATTER}\n", 0, 20_000)
        plain = plain[end + len(_FRONT_MATTER) + 2 :] if end >= 0 else plain
    made: str = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table").render(plain)
    return made


def read_html(html: str) -> tuple[list[Block], int]:
    """(the blocks, how many pieces of text were left out because nobody would see them). Raises
    DocumentError."""
    tree = LexborHTMLParser(html)
    if tree.root is None:
        raise DocumentError("The HTML holds nothing.")
    return _Walk(_styles(tree)).run(tree.root)


def _compact(style: str) -> str:
    return _SPACE.sub("", style).lower()


def _effect(style: str) -> str:
    """What the declarations of a rule or an attribute do to the text, if anything."""
    if _HIDING.search(style):
        return HIDDEN
    if _BACKGROUND.search(style):
        return GROUND
    return WHITE if _WHITE.search(style) else ""


def _styles(tree: LexborHTMLParser) -> dict[int, set[str]]:
    """By element, what the style sheets inside the page do to it."""
    found: dict[int, set[str]] = {}
    rules = 0
    for sheet in tree.css("style"):
        plain = _COMMENT.sub("", sheet.text(deep=True) or "")
        for rule in plain.split("}"):
            selector, _, declarations = rule.rpartition("{")
            # Inside of @media the selector stands behind a second brace.
            selector = selector.rpartition("{")[2].strip()
            effect = _effect(_compact(declarations))
            if not effect or not selector:
                continue
            for one in _divide_selector(selector):
                if len(one) > MAX_SELECTOR:
                    if effect == GROUND:
                        # Without it, less is seen.
                        continue
                    raise DocumentError("A rule of the HTML that hides text is too long to follow.")
                rules += 1
                if rules > MAX_RULES:
                    raise DocumentError("The style sheets of the HTML hide too many things.")
                try:
                    nodes = tree.css(one)
                except (SelectolaxError, ValueError):
                    continue
                for node in nodes:
                    found.setdefault(node.mem_id, set()).add(effect)
    return found


def _divide_selector(selector: str) -> list[str]:
    """A selector, or of a long list of plain ones each by itself."""
    if len(selector) <= MAX_SELECTOR or _NESTED_SELECTOR.search(selector):
        return [selector]
    return [one.strip() for one in selector.split(",") if one.strip()]


@dataclass(slots=True)
class _Walk:
    """One walk over the elements, from the first to the last, without recursion."""

    styles: dict[int, set[str]]
    blocks: list[Block] = field(default_factory=list)
    hidden: int = 0
    _text: list[str] = field(default_factory=list)
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _grounds: int = 0
    _kept_spaces: int = 0
    _cells: int = 0

    def run(self, root: LexborNode) -> tuple[list[Block], int]:
        node: LexborNode | None = root
        opened: list[tuple[LexborNode, str, bool]] = []
        nodes = 0
        while node is not None:
            nodes += 1
            if nodes > MAX_NODES:
                raise DocumentError(f"The document has more than {MAX_NODES:,} elements.")
            child = self._enter(node, opened)
            if child is not None:
                if len(opened) > MAX_DEPTH:
                    raise DocumentError(f"The document is nested deeper than {MAX_DEPTH} levels.")
                node = child
                continue
            while node.next is None and opened:
                node = self._leave(opened)
            node = node.next if opened else None
            if node is None:
                break
        while opened:
            self._leave(opened)
        self._flush()
        return self.blocks, self.hidden

    def _enter(
        self, node: LexborNode, opened: list[tuple[LexborNode, str, bool]]
    ) -> LexborNode | None:
        """Begin a node; returns its first child, if it has any that is read."""
        if node.is_text_node:
            text = node.text_content or ""
            self._text.append(text if self._kept_spaces else _SPACE.sub(" ", text))
            return None
        if not node.is_element_node and not node.is_document_node:
            return None
        tag = node.tag or ""
        if tag in _SKIPPED:
            return None
        effects = self._effects(node)
        if HIDDEN in effects or (WHITE in effects and not self._grounds and GROUND not in effects):
            self.hidden += bool((node.text(deep=True) or "").strip())
            return None
        if tag in _BLOCKS:
            self._divide(tag)
        if tag == "br":
            self._text.append("\n")
        elif tag == "li":
            self._text.append("- ")
        child = node.child
        if child is None:
            return None
        self._grounds += GROUND in effects
        self._kept_spaces += tag == "pre"
        self._cells += tag in _CELLS
        opened.append((node, tag, GROUND in effects))
        return child

    def _leave(self, opened: list[tuple[LexborNode, str, bool]]) -> LexborNode:
        node, tag, ground = opened.pop()
        self._grounds -= ground
        self._kept_spaces -= tag == "pre"
        self._cells -= tag in _CELLS
        if tag in _HEADINGS:
            self._begin_heading(_HEADINGS[tag])
        elif tag in _BLOCKS:
            self._divide(tag)
        elif tag in _CELLS and any(text.strip() for text in self._text):
            self._text.append(" | ")
        return node

    def _effects(self, node: LexborNode) -> set[str]:
        effects = self.styles.get(node.mem_id, set())
        attributes = node.attributes
        if "hidden" in attributes:
            return {HIDDEN}
        if style := attributes.get("style"):
            effects = effects | {_effect(_compact(style))}
        if attributes.get("bgcolor"):
            effects = effects | {GROUND}
        if node.tag == "font" and (attributes.get("color") or "").lower() in (
            "#fff",
            "#ffffff",
            "white",
        ):
            effects = effects | {WHITE}
        return effects

    def _begin_heading(self, level: int) -> None:
        title = clean_heading("".join(self._text))
        self._text = []
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        if title:
            self._headings.append((level, title))

    def _divide(self, tag: str) -> None:
        """Begin a new block; inside of a cell only a row does, as a row is one block."""
        if self._cells and tag != "tr":
            self._text.append(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        text = clean_text("".join(self._text)).removesuffix(" |").removesuffix("|").strip()
        self._text = []
        if text and text != "-":
            path = tuple(title for _, title in self._headings[-MAX_LEVELS:])
            self.blocks.append(Block(text, path))
