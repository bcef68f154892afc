"""Every sentence of the pages has its translation, with the same values, in plain words."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from django.template import engines
from django.utils import translation

from config.languages.template_sentences import translate_template
from tools.messages import (
    LOCALES,
    ROOT,
    catalogue_path,
    collect_messages,
    compiled_catalogue,
    read_catalogue,
    untranslated,
    updated_catalogue,
    written_catalogue,
)

LANGUAGES = sorted(path.name for path in LOCALES.iterdir())
# Words for which there are plainer ones, and a tone that the pages do not have.
NOT_PLAIN = {
    "de": re.compile(
        r"\b(?:User|Login|Logout|ein(?:zu)?loggen|aus(?:zu)?loggen|downloaden|Settings|"
        r"Admin|Memory|Memories|Review|Audit|Account|Recall|Proposal|Embedding|"
        r"bitte beachten|erfolgreich|diesbezüglich|entsprechend|gegebenenfalls|bzw|mittels|"
        r"zwecks|selbstverständlich|du|dir|dich|dein\w*|euch|euer|Loggen|loggen)\b"
    )
}
# Where one of these words is meant.
PLAIN_ALL_THE_SAME = {
    "de": {"Embedding-Modelle", "das Embedding-Modell", "ein Embedding-Modell", "Erfolgreich"}
}


@cache
def catalogue(language: str) -> Catalog:
    return read_catalogue(language)


def translated(language: str) -> list[tuple[Message, str, str]]:
    """(message, English, the other language), each form by itself."""
    found = []
    for one in catalogue(language):
        if not one.id:
            continue
        ids = one.id if isinstance(one.id, tuple) else (one.id,)
        strings = one.string if isinstance(one.string, tuple) else (one.string,)
        found += [(one, id_, text) for id_, text in zip(ids, strings, strict=True)]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.conformance(
    "X16", open="an untranslated string where a page quotes an error or a reason of a service"
)
def test_every_sentence_is_translated(language: str) -> None:
    """`python -m tools.messages` adds what is new, and names what it has no translation for."""
    here = {(one.context, one.id) for one in catalogue(language) if one.id}
    used = set(collect_messages())
    assert used - here == set(), "run python -m tools.messages, and translate these"
    assert here - used == set(), "run python -m tools.messages: nothing uses these any more"
    assert [one.id for one in untranslated(catalogue(language))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_files_are_what_the_tool_writes(language: str) -> None:
    """The compiled one too, which is what a server reads."""
    path = catalogue_path(language)
    now = updated_catalogue(language)
    assert path.read_bytes() == written_catalogue(now), "run python -m tools.messages"
    assert path.with_suffix(".mo").read_bytes() == compiled_catalogue(now)


_VALUE = re.compile(r"{{\s*([\w.]+)")
_NAMED = re.compile(r"%\((\w+)\)s|(?<!{){(\w+)}(?!})")
_SHORT = re.compile(r"</?[a-z]+\d*>|{% \w+ %}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_values_are_the_same(language: str) -> None:
    wrong = []
    for _, english, other in translated(language):
        values = set(_VALUE.findall(english))
        named = {a or b for a, b in _NAMED.findall(english)}
        unknown = {a or b for a, b in _NAMED.findall(other)} - named
        same = values == set(_VALUE.findall(other)) and not unknown
        # A sentence of Python may leave a value out that the other language says by itself.
        shorts = set(_SHORT.findall(english)) == set(_SHORT.findall(other))
        if not (same and shorts):
            wrong.append((english, other))
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_compiles(language: str) -> None:
    """A translation holds conditions of its own, and each has its end."""
    folder = ROOT / "templates"
    engine = engines["django"].engine
    with translation.override(language):
        for path in sorted(folder.rglob("*.html")):
            source = translate_template(path.read_text(encoding="utf-8"), translation.gettext)
            engine.from_string(source)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_plain(language: str) -> None:
    """The pages say Sie, and what has a common word has that one."""
    found = []
    for _, english, other in translated(language):
        said = _VALUE.sub("", re.sub(r"{{.*?}}|{%.*?%}|<[^>]*>|%\(\w+\)s", " ", other))
        for fine in PLAIN_ALL_THE_SAME[language]:
            said = said.replace(fine, " ")
        if word := NOT_PLAIN[language].search(said):
            found.append((word[0], english, other))
    assert found == []
    assert NOT_PLAIN[language].search("Loggen Sie sich in Ihren Account ein"), "the rule sees it"


# Texts of pages that Python makes and that are not marked for translation yet, by module. A number
# may only fall.
UNMARKED = ROOT / "tests" / "config" / "languages" / "unmarked_texts.csv"
_MARKS = {"gettext", "ngettext", "pgettext", "pgettext_lazy", "gettext_noop", "lazy_text"}
_NO_TEXT = re.compile(
    r"^[a-z0-9_./#:\-{}?=&%+ ]*$|\.html|^[A-Z_]+$|/\{\}|^\W*$|://|^HX-|"
    r"^[A-Z][a-z]+(?:-[A-Z][a-z]+)+$"
)


def unmarked_texts(path: Path) -> list[str]:
    """Strings that read like a sentence or a label and go through no mark."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    quiet: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            quiet |= {id(one) for one in ast.walk(body[0])}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            quiet.add(id(node.value))
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in _MARKS or name in (
                "getLogger",
                "warning",
                "info",
                "error",
                "format_decimal",
            ):
                quiet |= {id(one) for one in ast.walk(node) if isinstance(one, ast.Constant)}
        notes = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        quiet |= {id(one) for note in notes if note is not None for one in ast.walk(note)}
    found = []
    for node in ast.walk(tree):
        if id(node) in quiet or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        if isinstance(node, ast.JoinedStr):
            quiet |= {id(one) for one in ast.walk(node) if isinstance(one, ast.Constant)}
            text = "".join(
                str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values
            )
        elif isinstance(node.value, str):
            text = node.value
        else:
            continue
        words = re.sub(r"\{\}", "", text)
        if not re.search(r"[A-Za-z]{2,}", words) or _NO_TEXT.search(text):
            continue
        if " " in text.strip() or text[:1].isupper():
            found.append(text)
    return found


def page_modules() -> list[Path]:
    """Modules that make text for pages."""
    found = [
        path
        for app in ("memories", "orgs", "personas", "robots")
        for path in (ROOT / app).rglob("*.py")
        if "views" in path.parts
    ]
    found += (ROOT / "config" / "site").glob("*.py")
    found += [ROOT / "orgs" / "accounts" / name for name in ("forms.py", "allauth_adapters.py")]
    access = ROOT / "memories" / "access"
    found += [access / "audience_summary.py", access / "reader_list" / "reasons.py"]
    return sorted(found)


@pytest.mark.conformance("X16")
def test_sentences_of_python_are_marked() -> None:
    """A new sentence in a view is `gettext("...")`, or `lazy_text("...")` in a table. What reads
    like one and is none (a header, a name, code) stands in the list."""
    listed = dict(
        line.rsplit(",", 1) for line in UNMARKED.read_text(encoding="utf-8").splitlines()[1:]
    )
    found = {
        path.relative_to(ROOT).as_posix(): texts
        for path in page_modules()
        if (texts := unmarked_texts(path))
    }
    more = {
        where: texts for where, texts in found.items() if len(texts) > int(listed.get(where, 0))
    }
    assert more == {}, "mark them, see CONTRIBUTING.md"
    fewer = {where for where, number in listed.items() if len(found.get(where, ())) < int(number)}
    assert fewer == set(), f"lower their number in {UNMARKED.name}"


# Forms of which no page shows a field with its label: what narrows lists is labelled in templates.
WITHOUT_LABELS = re.compile(r"(?:Filter|Search|List|Cursor|Page|Map)Form$")
ALSO_WITHOUT = {
    "ExpertsForm", "LayoutForm", "RecallForm", "SampleForm", "SharedKnowledgeForm", "TopicForm",
}  # fmt: skip
_FIELD = re.compile(r"field=\w+\.(\w+)")


@pytest.mark.conformance("X16")
def test_a_field_that_a_page_shows_has_a_label_of_its_own() -> None:
    """Without one Django makes an English one of its name."""
    shown = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in _FIELD.findall(path.read_text(encoding="utf-8"))
    }
    assert {"content", "role", "email"} <= shown
    fields, bare = 0, []
    for path in page_modules():
        for form in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(form, ast.ClassDef) or form.name in ALSO_WITHOUT:
                continue
            for line in () if WITHOUT_LABELS.search(form.name) else form.body:
                if not isinstance(line, ast.Assign) or not isinstance(line.value, ast.Call):
                    continue
                made, name = line.value, getattr(line.targets[0], "id", "")
                if not ast.unparse(made.func).endswith("Field") or name not in shown:
                    continue
                fields += 1
                if not any(one.arg == "label" for one in made.keywords):
                    bare.append(f"{path.name}: {form.name}.{name}")
    assert fields > 30
    assert bare == []
