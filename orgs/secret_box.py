"""Secrets: of some only a digest is kept; those that the server needs again in plain are encrypted
with keys made from SECRET_KEY.

After a change of SECRET_KEY the former ones in SECRET_KEY_FALLBACKS still decrypt.
"""

import base64
import hashlib
import time
from datetime import datetime

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class SecretLostError(Exception):
    """A secret cannot be decrypted: SECRET_KEY is another one, or it belongs to another row."""


def _box(purpose: str) -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(f"{purpose}\n{key}".encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


def digest_secret(secret: str) -> str:
    """SHA-256 in hexadecimal, of a drawn secret of which only this is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


def encrypt_secret(text: str, *, purpose: str, at: datetime | None = None) -> str:
    """The stored form, which only the same purpose decrypts. at: the time that it shows in plain;
    None for now."""
    seconds = int(at.timestamp() if at else time.time())
    return _box(purpose).encrypt_at_time(text.encode(), seconds).decode()


def decrypt_secret(stored: str, *, purpose: str) -> str:
    """The secret. Raises SecretLostError."""
    try:
        return _box(purpose).decrypt(stored.encode()).decode()
    except InvalidToken as error:
        raise SecretLostError(purpose) from error
