"""A template loader that drops the line end after a component."""

from django.template import Origin
from django.template.loaders import filesystem

FOLDER = "components/"


class ComponentLoader(filesystem.Loader):
    """Drops the last line end of a component's file.

    Otherwise a space would come between a component and a following bracket or full stop: "(now )".
    """

    def get_contents(self, origin: Origin) -> str:
        contents: str = super().get_contents(origin)
        name = str(origin.template_name)
        return contents.removesuffix("\n") if name.startswith(FOLDER) else contents
