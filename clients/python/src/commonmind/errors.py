"""What can go wrong, as classes. All of them are a CommonmindError."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonmind.schema import Problem
    from commonmind.schema import ProblemError as FieldError

PROBLEM_PREFIX = "urn:commonmind:problem:"


class InsecureAddressWarning(UserWarning):
    """The key goes over the network in plain."""


class InsecureFileWarning(UserWarning):
    """Others on this machine can read the configuration file, which holds the key."""


class DeprecatedCallWarning(FutureWarning):
    """The call uses what the server announces to go away (docs/api-stability.md)."""


class CommonmindError(Exception):
    """The base of all errors of this package."""


class ConfigurationError(CommonmindError):
    """An address, a key or a configuration file that cannot be used. Nothing was sent."""


class UnavailableError(CommonmindError):
    """The server does not answer: it is away, hangs, or a proxy answers in its place.

    What was to change may have changed; the same call with the same idempotency key finds out.
    """


class FileError(CommonmindError):
    """A command on a file (`commonmind.files`) was not carried out; the message is for a model."""


class UnexpectedAnswerError(CommonmindError):
    """What answers is no Commonmind: a page, a redirect, something that is no JSON.

    status: the HTTP status, or 0 if the answer itself was well formed.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class RefusedError(CommonmindError):
    """The server answered with a problem (RFC 9457).

    problem: the whole of it. code: the stable last part of its type, which programs compare.
    """

    def __init__(
        self, status: int, problem: Mapping[str, Any], retry_after: float | None = None
    ) -> None:
        self.status = status
        self.problem: Problem = problem  # type: ignore[assignment]
        self.retry_after = retry_after
        super().__init__(f"{status} {self.code}: {self.detail}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.problem, self.retry_after)

    @property
    def code(self) -> str:
        """Such as `not-found`."""
        return str(self.problem.get("type", "")).removeprefix(PROBLEM_PREFIX)

    @property
    def detail(self) -> str:
        """What went wrong, in a sentence."""
        return str(self.problem.get("detail") or self.problem.get("title") or "")

    @property
    def errors(self) -> Sequence[FieldError]:
        """The fields that are wrong: `field` and `detail` of each."""
        found = self.problem.get("errors")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    @property
    def request_id(self) -> str:
        """Quote it when you report the problem."""
        return str(self.problem.get("request_id", ""))

    @property
    def existing(self) -> str | None:
        """Of a 409 the id of what exists already, if the caller may see it."""
        return self.problem.get("existing")


class InvalidError(RefusedError):
    """400: a field is missing, unknown or wrong; `errors` says which."""


class UnauthenticatedError(RefusedError):
    """401: no key, or one that is unknown, expired or revoked."""


class ForbiddenError(RefusedError):
    """403: the key lacks a scope, or the role does not allow it."""


class NotFoundError(RefusedError):
    """404: there is nothing that the caller may see."""


class ConflictError(RefusedError):
    """409: it exists already, or its state does not allow it; `code` says which."""


class CursorTooOldError(RefusedError):
    """410: the server no longer knows what changed since this cursor; begin the copy anew."""


class ChangedError(RefusedError):
    """412: somebody changed it meanwhile."""

    @property
    def etag(self) -> str | None:
        """The present ETag, if the caller may see it."""
        return self.problem.get("etag")


class TooLargeError(RefusedError):
    """413: the text, the file or the body is too large."""


class UnprocessableError(RefusedError):
    """422: well formed, and not possible, such as an idempotency key of another call."""


class TooManyRequestsError(RefusedError):
    """429: asked too often. retry_after: after how many seconds it may be tried again."""


class ServerError(RefusedError):
    """5xx: the server cannot answer now."""


_BY_STATUS: dict[int, type[RefusedError]] = {
    400: InvalidError,
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: CursorTooOldError,
    412: ChangedError,
    413: TooLargeError,
    422: UnprocessableError,
    429: TooManyRequestsError,
}


def refusal(
    status: int, problem: Mapping[str, Any], retry_after: float | None = None
) -> RefusedError:
    """The error of a status with its problem."""
    kind = ServerError if status >= 500 else _BY_STATUS.get(status, RefusedError)
    return kind(status, problem, retry_after)
