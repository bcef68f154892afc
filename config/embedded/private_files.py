"""Files that only their owner may read: ports, passwords, keys, environment variables."""

import json
import os
import secrets
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config.embedded.errors import EmbeddedError


def generate_secret() -> str:
    """A random password, 43 characters that need no quoting in a URL, a shell or SQL."""
    return secrets.token_urlsafe(32)


def read_json(path: Path) -> dict[str, Any]:
    """The object stored in ``path``, or an empty one when there is no such file."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except PermissionError:
        raise EmbeddedError(f"{path} belongs to another user: run as that user") from None
    except ValueError:
        raise EmbeddedError(f"{path} is not valid JSON: repair or delete it") from None
    if not isinstance(stored, dict):
        raise EmbeddedError(f"{path} holds no JSON object: repair or delete it")
    return stored


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Replace ``path`` as one step, with mode 600 from its first byte on."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    try:
        with open_private(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            file.write(json.dumps(content, indent=2).encode() + b"\n")
        part.replace(path)
    except PermissionError:
        raise EmbeddedError(f"cannot write {path}: no permission") from None


def ensure_key_file(data_dir: Path) -> Path:
    """The path DATA_DIR/encryption.keys; the file is made once with a random key, never
    replaced."""
    path = data_dir / "encryption.keys"
    key = b64encode(secrets.token_bytes(32)) + b"\n"
    try:
        with open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            file.write(b"# Encrypts sensitive memories; the newest key first. No backup of the\n")
            file.write(b"# database holds it: keep a copy elsewhere.\n" + key)
    except FileExistsError:
        pass
    except PermissionError:
        raise EmbeddedError(f"cannot write {path}: no permission") from None
    return path


def open_private(path: Path, flags: int) -> Any:
    """An unbuffered binary file with mode 600, whatever the umask."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "ab" if flags & os.O_APPEND else "wb", buffering=0)
