"""Receipts of erasures: when, what, how much, and until when backups have it.

A receipt is read by its link, which nobody can guess and which needs no account. The link is signed
and has only ids. The receipt is signed as well, so that a copy can be verified.
"""

import json
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.core import signing
from django.utils.crypto import constant_time_compare

from memories.jobs.models import Job, JobState
from memories.privacy.erasure.erasure_run import Erasure, ErasureStep
from orgs.database.rls import Scope, scope
from orgs.errors import NotFoundError
from orgs.models.organisations import Organisation

_LINK_SALT, _SIGNATURE_SALT = "commonmind.receipt.link", "commonmind.receipt.seal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """counts: rows by table. done: finished steps. state: of the job, until it is finished.
    signature: over the rest, empty until it is finished."""

    id: UUID
    organisation: str
    what: str
    source: str
    target: UUID
    at: datetime
    finished_at: datetime | None
    backups_until: date | None
    mentions: int
    incomplete: bool
    counts: dict[str, int]
    done: int
    state: str
    signature: str

    @property
    def body(self) -> dict[str, Any]:
        """The signed facts, as JSON values."""
        return signed_facts_of(self)


def signed_facts_of(one: "Receipt | Erasure") -> dict[str, Any]:
    """The signed facts of a finished erasure."""
    return {
        "id": str(one.id),
        "what": one.what,
        "source": one.source,
        "target": str(one.target),
        "at": (one.at if isinstance(one, Receipt) else one.created_at).isoformat(),
        "finished_at": one.finished_at.isoformat() if one.finished_at else None,
        "backups_until": one.backups_until.isoformat() if one.backups_until else None,
        "mentions": one.mentions,
        "incomplete": one.incomplete,
        "counts": dict(sorted(one.counts.items())),
    }


def create_link(erasure: Erasure) -> str:
    """The signed part of the receipt's address."""
    named = [str(erasure.organisation_id), str(erasure.audience_id), str(erasure.id)]
    return signing.dumps(named, salt=_LINK_SALT)


def get_receipt(link: str) -> Receipt:
    """The receipt of a link. Raises NotFoundError for an invalid link."""
    try:
        organisation, audience, erasure = map(UUID, signing.loads(link, salt=_LINK_SALT))
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise NotFoundError("no such receipt") from error
    with scope(Scope(organisation=organisation, audiences=(audience,))):
        found = Erasure.objects.filter(organisation_id=organisation, id=erasure).first()
        if found is None:
            raise NotFoundError("no such receipt")
        return load_receipt(found)


def load_receipt(erasure: Erasure) -> Receipt:
    """The receipt of an erasure; call inside a scope that reads it."""
    tenant = {"organisation_id": erasure.organisation_id}
    name = Organisation.objects.filter(id=erasure.organisation_id).values_list("name", flat=True)
    job = Job.objects.filter(**tenant, id=erasure.job_id).first() if erasure.job_id else None
    steps = ErasureStep.objects.filter(**tenant, erasure_id=erasure.id).count()
    over = erasure.finished_at is not None
    return Receipt(
        id=erasure.id,
        organisation=name.first() or "",
        what=erasure.what,
        source=erasure.source,
        target=erasure.target,
        at=erasure.created_at,
        finished_at=erasure.finished_at,
        backups_until=erasure.backups_until,
        mentions=erasure.mentions,
        incomplete=erasure.incomplete,
        counts=erasure.counts,
        done=steps,
        state=JobState.DONE if over else (job.state if job else JobState.WAITING),
        signature=signing.Signer(salt=_SIGNATURE_SALT).signature(
            _signed_text(signed_facts_of(erasure))
        )
        if over
        else "",
    )


class NoReceipt(ValueError):
    """The text is no signed copy of a receipt."""


def check_copy(text: str | bytes) -> dict[str, Any]:
    """The facts of a signed copy whose signature is right; the row is not needed.

    text: the JSON that was kept. Blanks and the order of its fields do not matter. Raises NoReceipt
    for what is no copy of a receipt, and BadSignature if anything in it was changed or another
    service signed it.
    """
    body = _read_copy(text)
    if not is_genuine(body, body.pop("signature")):
        raise signing.BadSignature("the signature does not fit")
    return body


def _read_copy(text: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoReceipt("It is no JSON.") from error
    # `manage.py erase` prints the address beside it, which is not signed.
    if not isinstance(found, dict) or set(found) - {"link"} != {*_SIGNED, "signature"}:
        raise NoReceipt("It has not the fields of a receipt.")
    found.pop("link", None)
    if not isinstance(found["signature"], str) or not isinstance(found["counts"], dict):
        raise NoReceipt("It has not the fields of a receipt.")
    return found


def is_genuine(body: dict[str, Any], signature: str) -> bool:
    """Whether a receipt was signed by this service, with its present key or one of before that it
    still takes (SECRET_KEY_FALLBACKS)."""
    signer, text = signing.Signer(salt=_SIGNATURE_SALT), _signed_text(body)
    keys = (signer.key, *signer.fallback_keys)
    return any(
        constant_time_compare(signer.signature(text, key).encode(), signature.encode())
        for key in keys
    )


# The signed facts, in the order in which they are signed.
_SIGNED = (
    *("id", "what", "source", "target", "at", "finished_at", "backups_until"),
    *("mentions", "incomplete", "counts"),
)


def _signed_text(body: dict[str, Any]) -> str:
    ordered = {name: body[name] for name in _SIGNED}
    ordered["counts"] = dict(sorted(ordered["counts"].items()))
    return signing.JSONSerializer().dumps(ordered).decode("latin-1")
