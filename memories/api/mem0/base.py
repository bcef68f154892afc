"""The base of the views of the mem0 door: its errors, its keys and its pages."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.mem0.add_memories import MAX_TEXTS
from orgs.api.base_view import APIView
from orgs.api.problems import ProblemError, exception_handler
from orgs.api.serializers import query_values
from robots.api.authentication import KeyAuthentication

NOT_HERE = "Commonmind has no such call of mem0. docs/agents/mem0.md says what to use in its place."
# How many calls a batch counts for is of the same size as for other batches.
MEMORIES_PER_CALL = 5
# How many memories a deletion by filters forgets.
MAX_DELETED = 200


def weigh_memories(body: Mapping[str, Any]) -> int:
    """A batch: one for each five memories that it has begun."""
    given = body.get("memories")
    return max(1, -(-len(given) // MEMORIES_PER_CALL)) if isinstance(given, list) else 1


# About as long is a sentence that an add keeps.
CHARACTERS_OF_A_TEXT = 50


def weigh_turns(body: Mapping[str, Any]) -> int:
    """An add: as a batch of the texts that it may keep, roughly by their lengths."""
    given = body.get("messages")
    turns = given if isinstance(given, list) else [given]
    said = (one.get("content") if isinstance(one, Mapping) else one for one in turns)
    texts = sum(1 + len(one) // CHARACTERS_OF_A_TEXT for one in said if isinstance(one, str))
    return max(1, -(-min(texts, MAX_TEXTS) // MEMORIES_PER_CALL))


def weigh_deletion(body: Mapping[str, Any]) -> int:
    """A deletion of what matches: as a batch of as many as it may delete."""
    return -(-MAX_DELETED // MEMORIES_PER_CALL)


def render_detail(error: Exception, context: dict[str, Any]) -> Response:
    """An exception as mem0 answers it: the sentence of the problem in `detail`."""
    problem = exception_handler(error, context)
    body = {"detail": problem.data["detail"], "request_id": problem.data["request_id"]}
    answer = Response(body, status=problem.status_code, content_type="application/json")
    for name, value in problem.items():
        if name.lower() != "content-type":
            answer[name] = value
    return answer


class Mem0View(APIView):
    """A view of the door. It takes keys of robots alone, and no cookie opens it."""

    # The description of the API is that of /api/v1; mem0 describes its own.
    schema = None  # type: ignore[assignment]
    authentication_classes = (KeyAuthentication,)
    scopes: ClassVar[dict[str, str]] = {}

    def get_exception_handler(self) -> Any:
        return render_detail


class NotHereView(Mem0View):
    """Calls of mem0 that have no counterpart: 501, with what to use in their place."""

    def _refuse(self, request: Request, **kwargs: Any) -> Response:
        raise ProblemError(501, "not-here", NOT_HERE)

    get = post = put = patch = delete = _refuse


def parameters(request: Request) -> dict[str, Any]:
    """The query parameters of a call. Raises ValidationError for a repeated one."""
    return dict(query_values(request))


def page_answer(
    request: Request, rows: list[dict[str, Any]], *, count: int, page: int, size: int
) -> dict[str, Any]:
    """One page as mem0 answers it. next, previous: addresses, or null."""
    here = request.build_absolute_uri(request.path)
    following = f"{here}?page={page + 1}&page_size={size}" if page * size < count else None
    before = f"{here}?page={page - 1}&page_size={size}" if page > 1 else None
    return {"count": count, "next": following, "previous": before, "results": rows}
