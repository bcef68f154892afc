"""Template loaders that give each language its own compiled templates.

A page in another language costs no more than one in English: its sentences are put in place when
the template is compiled, once for each process.
"""

from django.template import Origin
from django.template.loaders import cached
from django.utils import translation

from config.languages.template_sentences import translate_template
from config.site.component_loader import ComponentLoader

SOURCE_LANGUAGE = "en"


class TranslatedLoader(ComponentLoader):
    """The product's templates in the language that is active."""

    def get_contents(self, origin: Origin) -> str:
        contents = super().get_contents(origin)
        if (translation.get_language() or SOURCE_LANGUAGE) == SOURCE_LANGUAGE:
            return contents
        return translate_template(contents, lambda key: _translate(str(origin.template_name), key))


def _translate(name: str, key: str) -> str:
    """The sentence that is meant for this template alone (its name is the context), or for all."""
    own = translation.pgettext(name, key)
    return translation.gettext(key) if own == key else own


class LanguageCachedLoader(cached.Loader):
    """Django's cache of templates, with the language in its key."""

    def cache_key(self, template_name: str, skip: list[Origin] | None = None) -> str:
        language = translation.get_language() or SOURCE_LANGUAGE
        return f"{language}:{super().cache_key(template_name, skip)}"
