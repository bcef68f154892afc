"""How templates are loaded: a component ends where its last tag ends."""

from django.template import Origin
from django.template.loaders import filesystem

FOLDER = "components/"


class Loader(filesystem.Loader):
    """The file's last line end belongs to the file, not to the sentence that the component is in.

    Otherwise every bracket and full stop behind a component stands apart: "(now )".
    """

    def get_contents(self, origin: Origin) -> str:
        contents: str = super().get_contents(origin)
        name = str(origin.template_name)
        return contents.removesuffix("\n") if name.startswith(FOLDER) else contents
