"""The tags of what somebody may read, as a tree."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.insights.tag_counts import get_tag_tree
from orgs.views.page_access import members_only

MAX_TAGS = 1_000


@require_safe
@members_only()
def tags(request: HttpRequest) -> HttpResponse:
    """Each tag leads to the memories that have it."""
    tree, more = get_tag_tree(request.actor, most=MAX_TAGS, now=timezone.now())
    context = {
        "tree": _with_urls(tree),
        "more": more,
        "most": MAX_TAGS,
        "library_url": reverse("library"),
    }
    return render(request, "memories/browsing/tags.html", context)


def _with_urls(nodes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    url = reverse("library")
    return [
        {
            **node,
            "url": f"{url}?{urlencode({'tag': node['tag']})}",
            "children": _with_urls(node["children"]),
        }
        for node in nodes
    ]
