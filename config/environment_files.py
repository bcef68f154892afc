"""Variables of the environment: each name may also be given as NAME_FILE, a file that holds the
value, as secrets of Docker and Kubernetes are mounted."""

from collections.abc import Mapping

from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping


class FileValues(FileAwareMapping):
    """NAME_FILE goes before NAME, and line ends behind the value are no part of it."""

    def __getitem__(self, key: str) -> str:
        """Raises KeyError for a name that is not given, ImproperlyConfigured for a file that cannot
        be read."""
        if not self.env.get(f"{key}_FILE"):
            return str(self.env[key])
        try:
            return str(super().__getitem__(key)).rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise ImproperlyConfigured(f"{key}_FILE cannot be read: {reason}.") from None


def read_value(variables: Mapping[str, str], name: str) -> str:
    """A value of these variables, "" for one that is not given; for programs without Django.
    Raises ImproperlyConfigured for a file that cannot be read."""
    return str(FileValues(variables, cache=False).get(name, ""))
