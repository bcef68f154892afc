"""Where the server is and which key is shown to it: arguments, environment, configuration file."""

from __future__ import annotations

import configparser
import contextlib
import importlib.metadata
import io
import ipaddress
import os
import platform
import re
import stat
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from commonmind.errors import ConfigurationError

URL_VARIABLE, KEY_VARIABLE = "COMMONMIND_URL", "COMMONMIND_KEY"
# The section that names the server of the last login; the others are named for their servers.
CURRENT = "current"
# What a key is made of; anything else would be another header.
KEY_PATTERN = re.compile(r"[\x21-\x7e]{1,500}")


@dataclass(frozen=True)
class Target:
    """A server and the key that is shown to it.

    url: without a slash at its end. readable_file: the configuration file with this key, if others
    can read it.
    """

    url: str
    key: str = field(repr=False)
    readable_file: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether it is this machine."""
        host = (urlsplit(self.url).hostname or "").rstrip(".")
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(host).is_loopback
        return host == "localhost" or host.endswith(".localhost")

    @property
    def is_insecure(self) -> bool:
        """Whether others on the way can read the key."""
        return self.url.startswith("http:") and not self.is_local


def version() -> str:
    """Of this package; empty where it is not installed."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version("commonmind")
    return ""


def user_agent() -> str:
    return f"commonmind-python/{version() or 'source'} Python/{platform.python_version()}"


def clean_url(text: str) -> str:
    """An address as it is used. Raises ConfigurationError for what is none."""
    url = text.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(f"{url!r} is no address: {error}.") from error
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(f"{url!r} is no address; one begins with https:// or http://.")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("An address holds no user name and no password.")
    if parts.query or parts.fragment or re.search(r"[\s\x00-\x1f\x7f]", url):
        raise ConfigurationError(f"{url!r} is no address of a server.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = re.sub(r"(/api(/v1)?)?/*$", "", parts.path)
    return f"{parts.scheme.lower()}://{host}{f':{port}' if port else ''}{path}"


def clean_key(text: str) -> str:
    """A key without blanks and line ends around it. Raises ConfigurationError for what is none."""
    key = text.strip().removeprefix("\ufeff").strip()
    if not KEY_PATTERN.fullmatch(key):
        raise ConfigurationError(
            "This is no key: it is empty, or holds blanks, line ends or letters that none has."
        )
    return key


def find_target(url: str | None = None, key: str | None = None) -> Target:
    """The server and the key: as given, else of the environment, else of the last login.

    A stored key is used for the server alone for which it was stored. Raises ConfigurationError.
    """
    url, open_file = find_url(url), None
    key = key or os.environ.get(KEY_VARIABLE) or None
    if key is None and (key := StoredLogins.load().keys.get(url)) is not None:
        open_file = config_path() if readable_by_others(config_path()) else None
    if key is None:
        raise ConfigurationError(
            f"There is no key for {url}. Set {KEY_VARIABLE}, or use `commonmind login {url}`."
        )
    return Target(url, clean_key(key), open_file)


def find_url(url: str | None = None) -> str:
    """The server: as given, else of the environment, else of the last login. Raises
    ConfigurationError."""
    url = url or os.environ.get(URL_VARIABLE) or StoredLogins.load().current
    if url is None:
        raise ConfigurationError(
            f"Which server? Set {URL_VARIABLE}, or use `commonmind login URL`."
        )
    return clean_url(url)


def config_path() -> Path:
    """The configuration file of whoever runs this."""
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or str(Path.home() / "AppData" / "Roaming")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "commonmind" / "config.ini"


def readable_by_others(path: Path) -> bool:
    """Whether the file's mode lets others read or change it."""
    if sys.platform == "win32":
        return False
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:
        return False


def replace_file(path: Path, text: str, *, mode: int, folder_mode: int = 0o777) -> None:
    """Write a file whole and at once, as UTF-8. Raises ConfigurationError.

    folder_mode: of its folder, if there is none yet.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=folder_mode)
        # mkstemp makes it for the owner alone, before a key is in it.
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            Path(draft).chmod(mode)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from error


@dataclass
class StoredLogins:
    """The configuration file. keys: by the address of the server."""

    keys: dict[str, str] = field(repr=False)
    current: str | None

    @classmethod
    def load(cls) -> StoredLogins:
        """Read the file; empty if there is none. Raises ConfigurationError."""
        path, parser = config_path(), configparser.RawConfigParser()
        try:
            parser.read_string(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls({}, None)
        except (OSError, UnicodeDecodeError, configparser.Error) as error:
            # The error of the parser quotes the line, which may be the key.
            raise ConfigurationError(
                f"The configuration file {path} cannot be read ({type(error).__name__})."
            ) from None
        keys = {
            name: parser.get(name, "key")
            for name in parser.sections()
            if name != CURRENT and parser.has_option(name, "key")
        }
        return cls(keys, parser.get(CURRENT, "url", fallback=None))

    def save(self) -> Path:
        """Write the file anew, for its owner alone (mode 600). Raises ConfigurationError."""
        path, parser = config_path(), configparser.RawConfigParser()
        if self.current is not None:
            parser[CURRENT] = {"url": self.current}
        for url, key in self.keys.items():
            parser[url] = {"key": key}
        text = io.StringIO()
        parser.write(text)
        replace_file(path, text.getvalue(), mode=0o600, folder_mode=0o700)
        return path
