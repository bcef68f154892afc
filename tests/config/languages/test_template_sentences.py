"""The sentences of a template are whole, and another language takes exactly their place."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from config.languages.template_sentences import all_keys, find_sentences, translate_template

TEMPLATES = Path(__file__).parents[3] / "templates"
SOURCES = {
    path.relative_to(TEMPLATES).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(TEMPLATES.rglob("*.html"))
}


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("<p>Save it.</p><p>Or not.</p>", ["Save it.", "Or not."]),
        (
            '<p>See <a class="x" href="{{ url }}">the page</a>, {{ who }}.</p>',
            ["See <a>the page</a>, {{ who }}."],
        ),
        ("{% if a %}<p>One</p>{% else %}<p>Two</p>{% endif %}", ["One", "Two"]),
        ("<p>{% if a %}One{% else %}Two{% endif %}</p>", ["One", "Two"]),
        (
            "<p>{{ n }} memor{{ n|pluralize:'y,ies' }}{% if x %} of {{ x }}{% endif %}.</p>",
            ["{{ n }} memor{{ n|pluralize:'y,ies' }}{% if x %} of {{ x }}{% endif %}."],
        ),
        (
            '<button class="button">{% include "components/icon.html" with name="x" %}Go</button>',
            ["Go"],
        ),
        (
            (
                '<p>Since {% include "components/when.html" with at=a %} to '
                '{% include "components/when.html" with at=b %}</p>'
            ),
            ["Since {% when %} to {% when2 %}"],
        ),
        (
            '<input title="An {{ it }}" value="Not this" placeholder="Name">',
            ["An {{ it }}", "Name"],
        ),
        ('{% include "components/badge.html" with label="New" tone="accent" %}', ["New"]),
        ("<p>{{ text|default:'Nothing' }}</p>", ["{{ text|default:'Nothing' }}"]),
        ("<code>GET /x</code><p>{{ only.a_value }}</p><pre>no words</pre>", []),
        ("{% comment %}<p>Words</p>{% endcomment %}{# Words #}", []),
        ("<ul>{% for one in all %}<li>Line {{ one }}</li>{% endfor %}</ul>", ["Line {{ one }}"]),
        ('<p>1 &lt; 2 &amp; <svg class="icon"><use href="#x"></use></svg></p>', []),
    ],
)
def test_a_sentence_is_what_a_translator_needs(source: str, keys: list[str]) -> None:
    assert list(all_keys(source)) == keys


def test_a_sentence_may_be_ordered_anew() -> None:
    source = '<p>\n  Ask <a href="/a/">Ada</a> or <a href="/b/">Bo</a>.\n</p>'
    [key] = all_keys(source)
    assert key == "Ask <a>Ada</a> or <a2>Bo</a2>."
    other = translate_template(source, {key: "<a2>Bo</a2> oder <a>Ada</a> fragen."}.__getitem__)
    assert other == '<p>\n  <a href="/b/">Bo</a> oder <a href="/a/">Ada</a> fragen.\n</p>'


@pytest.mark.parametrize("name", SOURCES)
def test_without_another_sentence_a_template_is_as_it_is_written(name: str) -> None:
    source = SOURCES[name]
    assert translate_template(source, lambda key: key) == source
    ends = [0]
    for one in find_sentences(source):
        assert ends[-1] <= one.begin < one.end, "none lies inside another"
        ends.append(one.end)


class _Words(HTMLParser):
    """The texts that a reader sees or hears, but for names of code."""

    SAID = ("title", "aria-label", "placeholder", "alt", "data-label", "data-command", "summary")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in ("code", "pre", "kbd", "script", "style", "samp")
        self.found += [value or "" for name, value in attrs if name in self.SAID]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("code", "pre", "kbd", "script", "style", "samp")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.found.append(data)


_TAGS = re.compile(r"{%\s*comment\b.*?endcomment\s*%}|{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)
_CLASS_BLOCK = re.compile(r"{%\s*block\s+\w+_class\s*%}[^{]*{%\s*endblock[^%]*%}")


@pytest.mark.parametrize("name", [name for name in SOURCES if not name.startswith("design/")])
@pytest.mark.conformance(
    "X16",
    open=(
        "texts of /design/, errors of services that a page quotes, reasons of "
        "jobs and mails with news are English, and no "
        "German speaker beside the translator has read the sentences"
    ),
)
def test_no_text_of_a_template_is_outside_of_the_sentences(name: str) -> None:
    """Found by another parser: where every sentence is struck out, no word is left."""

    def strike_out(key: str) -> str:
        return "".join(_TAGS.findall(key)) or "–"

    struck = translate_template(SOURCES[name], strike_out)
    page = _Words()
    page.feed(_TAGS.sub(" ", _CLASS_BLOCK.sub(" ", struck)))
    # A tag whose name a condition decides is text for the parser, with its attributes.
    left = [text for text in page.found if re.search(r"[A-Za-z]{2,}", text) and '="' not in text]
    assert left == [], f"{name}: the sentences of these are not found"
