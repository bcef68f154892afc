"""Sign messages as Standard Webhooks does (standardwebhooks.com, version 1).

Its Python library brings an HTTP client and three more packages for these lines, and signs with one
secret at a time.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from uuid import UUID

from orgs.secret_box import decrypt_secret, encrypt_secret

PREFIX = "whsec_"
_SECRET_BYTES = 32


def make_secret() -> str:
    """A new secret: `whsec_` and the base64 of 32 random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def seal_secret(secret: str, endpoint_id: UUID) -> str:
    """The stored form of an endpoint's secret."""
    return encrypt_secret(secret, purpose=f"webhook {endpoint_id}")


def open_secret(stored: str, endpoint_id: UUID) -> str:
    """The reverse of `seal_secret`. Raises SecretLostError."""
    return decrypt_secret(stored, purpose=f"webhook {endpoint_id}")


def format_message_id(delivery_id: UUID) -> str:
    """The id of a message, the same at each attempt."""
    return f"msg_{delivery_id.hex}"


def sign_message(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """One signature. timestamp: of the attempt, in seconds since 1970."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def signed_headers(
    secrets: Sequence[str], message_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """The headers of a message, with a signature by each secret."""
    signatures = [sign_message(secret, message_id, timestamp, body) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
