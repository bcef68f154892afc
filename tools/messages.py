"""Bring the catalogues of the pages' languages up to date: `python -m tools.messages`.

Every sentence of a template, and every one that Python marks with `gettext`, gets a line in
`config/languages/locale/*/LC_MESSAGES/django.po`; lines of sentences that are gone go. What has no
translation yet is named, and the command fails. It writes the compiled file (`django.mo`) as well,
so that nobody who runs the product needs a tool for it.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from config.languages.template_sentences import all_keys

ROOT = Path(__file__).parent.parent
LOCALES = ROOT / "config" / "languages" / "locale"
APPS = ("config", "memories", "orgs", "personas", "robots")
# Of the product's own design, for those who build it.
LEFT_OUT = ("design/",)
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "lazy_text": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
}
# The files change only with their sentences.
FIXED_DATE = datetime(2026, 11, 28, tzinfo=UTC)
Key = tuple[str | None, str | tuple[str, ...]]


def collect_messages() -> dict[Key, list[str]]:
    """Every message as (context, msgid or both forms), with the files where it is used."""
    found: dict[Key, list[str]] = {}
    for where, key in [*_of_templates(), *_of_modules()]:
        places = found.setdefault(key, [])
        if where not in places:
            places.append(where)
    return found


def _of_templates() -> Iterator[tuple[str, Key]]:
    folder = ROOT / "templates"
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        if not name.startswith(LEFT_OUT):
            for key in all_keys(path.read_text(encoding="utf-8")):
                yield f"templates/{name}", (None, key)


def _of_modules() -> Iterator[tuple[str, Key]]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            for _, message, _, context in extract_from_file("python", path, KEYWORDS):
                forms = message if isinstance(message, str) else tuple(message)
                yield path.relative_to(ROOT).as_posix(), (context, forms)


def read_catalogue(language: str) -> Catalog:
    """The catalogue of one language."""
    with catalogue_path(language).open("rb") as file:
        return read_po(file, locale=language)


def catalogue_path(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / "django.po"


def updated_catalogue(language: str) -> Catalog:
    """The catalogue with exactly the messages that are used now; new ones are empty."""
    old = read_catalogue(language)
    new = Catalog(
        locale=language,
        header_comment=old.header_comment,
        project="Commonmind",
        version="1",
        msgid_bugs_address="CONTRIBUTING.md",
        last_translator="Commonmind",
        language_team="Commonmind",
        creation_date=FIXED_DATE,
        revision_date=FIXED_DATE,
        fuzzy=False,
    )
    for (context, forms), places in sorted(collect_messages().items(), key=_order):
        before = old.get(forms[0] if isinstance(forms, tuple) else forms, context)
        text = before.string if before is not None and before.string else ""
        if isinstance(forms, tuple) and not isinstance(text, tuple):
            text = (text, text)
        comments = before.user_comments if before is not None else []
        new.add(forms, text, [(place, None) for place in places], context=context,
                user_comments=comments, flags=())  # fmt: skip
    return new


def _order(item: tuple[Key, list[str]]) -> tuple[str, str, str]:
    (context, forms), places = item
    return places[0], context or "", forms if isinstance(forms, str) else forms[0]


def untranslated(catalogue: Catalog) -> list[Message]:
    """The messages without a translation in every form."""
    return [
        one
        for one in catalogue
        if one.id and not all(one.string if isinstance(one.string, tuple) else (one.string,))
    ]


def written_catalogue(catalogue: Catalog) -> bytes:
    """The text file of a catalogue; the same for the same messages."""
    file = BytesIO()
    write_po(file, catalogue, width=100, include_lineno=False, omit_header=False)
    return file.getvalue()


def compiled_catalogue(catalogue: Catalog) -> bytes:
    """The compiled file of a catalogue; the same for the same messages."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def main() -> int:
    missing = 0
    for folder in sorted(LOCALES.iterdir()):
        catalogue = updated_catalogue(folder.name)
        path = catalogue_path(folder.name)
        path.write_bytes(written_catalogue(catalogue))
        path.with_suffix(".mo").write_bytes(compiled_catalogue(catalogue))
        for message in untranslated(catalogue):
            missing += 1
            sys.stdout.write(f"{folder.name}: {message.id}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
