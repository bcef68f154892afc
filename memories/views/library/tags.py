"""The tags of what somebody may read, as a tree."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.insights.tags import tag_tree
from orgs.views.access import members_only

MOST = 1_000


@require_safe
@members_only()
def tags(request: HttpRequest) -> HttpResponse:
    """Each tag leads to the memories that have it."""
    tree, more = tag_tree(request.actor, most=MOST, now=timezone.now())
    context = {"tree": _linked(tree), "more": more, "most": MOST, "library_url": reverse("library")}
    return render(request, "memories/library/tags.html", context)


def _linked(nodes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    url = reverse("library")
    return [
        {
            **node,
            "url": f"{url}?{urlencode({'tag': node['tag']})}",
            "children": _linked(node["children"]),
        }
        for node in nodes
    ]
