"""The base of every view of the API."""

from functools import partial
from typing import Any, ClassVar

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView as FrameworkView

from orgs.api import idempotency


class APIView(FrameworkView):
    """A view of the API, with what holds for every route.

    only_answers: methods that change nothing although they are not safe, such as the POST of a
    question. without_tenant: it is called by who belongs to no organisation.
    """

    only_answers: ClassVar[tuple[str, ...]] = ()
    without_tenant: ClassVar[bool] = False

    @classmethod
    def changes(cls, method: str) -> bool:
        """Whether a call with this method changes something."""
        return method not in SAFE_METHODS and method not in cls.only_answers

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After the checks of the caller: the handler of this call, with what its headers ask."""
        super().initial(request, *args, **kwargs)
        method = request.method or ""
        handler = getattr(self, method.lower(), None)
        if handler is None or not self.changes(method):
            return
        if idempotency.HEADER in request.headers:
            # The framework looks the handler up after this, and finds this one.
            once = partial(idempotency.run_once, handler, without_tenant=self.without_tenant)
            setattr(self, method.lower(), once)
