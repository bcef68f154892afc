"""The client of Commonmind, shared memory for AI agents and the people they work for."""

from commonmind.client import AsyncClient, Client
from commonmind.errors import (
    ChangedError,
    CommonmindError,
    ConfigurationError,
    ConflictError,
    DeprecatedCallWarning,
    ForbiddenError,
    InsecureAddressWarning,
    InsecureFileWarning,
    InvalidError,
    NotFoundError,
    RefusedError,
    ServerError,
    TooLargeError,
    TooManyRequestsError,
    UnauthenticatedError,
    UnavailableError,
    UnexpectedAnswerError,
    UnprocessableError,
)
from commonmind.exchange import Answer, etag_of

__all__ = [
    "Answer",
    "AsyncClient",
    "ChangedError",
    "Client",
    "CommonmindError",
    "ConfigurationError",
    "ConflictError",
    "DeprecatedCallWarning",
    "ForbiddenError",
    "InsecureAddressWarning",
    "InsecureFileWarning",
    "InvalidError",
    "NotFoundError",
    "RefusedError",
    "ServerError",
    "TooLargeError",
    "TooManyRequestsError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnexpectedAnswerError",
    "UnprocessableError",
    "etag_of",
]
