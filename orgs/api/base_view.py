"""The base of every view of the API."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponseBase
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView as FrameworkView

from orgs.api import conditional, deprecation, idempotency
from orgs.database.driver.servers import is_switched_on, server_of


class APIView(FrameworkView):
    """A view of the API, with what holds for every route.

    only_answers: methods that change nothing although they are not safe, such as the POST of a
    question. without_tenant: it is called by who belongs to no organisation. weight: for how many
    calls a call counts, by the fields of its body, not yet checked; None for one.
    """

    only_answers: ClassVar[tuple[str, ...]] = ()
    without_tenant: ClassVar[bool] = False
    weight: ClassVar[Callable[[Mapping[str, Any]], int] | None] = None

    @classmethod
    def changes(cls, method: str) -> bool:
        """Whether a call with this method changes something."""
        return method not in SAFE_METHODS and method not in cls.only_answers

    def weigh(self, request: Request) -> int:
        """For how many calls this one counts in the limits."""
        weight = type(self).weight
        if weight is None or self.request.method in SAFE_METHODS:
            return 1
        return weight(request.data) if isinstance(request.data, Mapping) else 1

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After the checks of the caller: the handler of this call, with what its headers ask."""
        super().initial(request, *args, **kwargs)
        method = request.method or ""
        handler = given = getattr(self, method.lower(), None)
        resource = conditional.find_resource_name(kwargs)
        if handler is not None and self.changes(method):
            if resource and conditional.asks_condition(request):
                handler = partial(conditional.change_if, resource, handler)
            if idempotency.HEADER in request.headers:
                handler = partial(idempotency.run_once, handler, without_tenant=self.without_tenant)
        elif handler is not None and resource and self.is_resource(resource, request):
            handler = partial(conditional.get_with_etag, resource, handler)
        if handler is not None and is_switched_on():
            # Also a transaction that is opened before its first scope is on the right server.
            organisation = getattr(request.user, "organisation_id", None)
            handler = partial(_run_on_server, handler, organisation)
        if handler is not given:
            # The framework looks the handler up after this, and finds this one.
            setattr(self, method.lower(), handler)

    def finalize_response(
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> Any:
        """The answer, with a note of what the call used that goes away."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        deprecation.add_headers(request, answer)
        return answer

    @staticmethod
    def is_resource(name: str, request: Request) -> bool:
        """Whether the address is that of the resource itself, not of something under it."""
        match = request._request.resolver_match
        return match is not None and match.route.endswith(f":{name}>")


def _run_on_server(
    handler: Callable[..., HttpResponseBase], organisation: UUID | None, *args: Any, **kwargs: Any
) -> HttpResponseBase:
    with server_of(organisation):
        return handler(*args, **kwargs)
