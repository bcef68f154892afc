"""The OpenAPI description, made once, and its page in the browser, from the product's own files.

Swagger's page needs one exception in the content security policy, for inline styles. There is none
for scripts: they come only from this site.
"""

import hashlib
from dataclasses import dataclass
from threading import Lock
from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.decorators import method_decorator
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


@dataclass(frozen=True, slots=True)
class RenderedSchema:
    """The description in one format, and its ETag."""

    body: bytes
    etag: str


class SchemaCache:
    """Caches the description in this process, one edition for each format.

    Making it takes a second or two of processor time, so it is made once: the first caller makes
    it, and the others wait.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._description: dict[str, Any] | None = None
        self._editions: dict[str, RenderedSchema] = {}

    def edition(self, renderer: BaseRenderer) -> RenderedSchema:
        """The description as the renderer writes it."""
        kind = renderer.format or ""
        if (kept := self._editions.get(kind)) is not None:
            return kept
        with self._lock:
            if kind not in self._editions:
                self._editions[kind] = self._make(renderer)
            return self._editions[kind]

    def _make(self, renderer: BaseRenderer) -> RenderedSchema:
        if self._description is None:
            # Without a request, because it is the same for everybody.
            self._description = SchemaGenerator().get_schema(request=None, public=True)
        body = renderer.render(self._description, renderer_context={})
        return RenderedSchema(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


schema_cache = SchemaCache()


class SchemaView(SpectacularAPIView):
    """The OpenAPI description of this version: YAML, or JSON for who accepts it."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        edition = schema_cache.edition(_renderer_for(request.accepted_renderer))
        kind = f"{request.accepted_media_type.partition(';')[0]}; charset=utf-8"
        response = HttpResponse(edition.body, content_type=kind)
        response["ETag"] = edition.etag
        response["Cache-Control"] = "no-cache"
        patch_vary_headers(response, ["Accept"])
        plain: HttpRequest = request._request
        return get_conditional_response(plain, etag=edition.etag, response=response) or response


def _renderer_for(accepted: Any) -> BaseRenderer:
    """The renderer of a media type; the two types of a format differ only in name."""
    return OpenApiJsonRenderer2() if "json" in accepted.format else OpenApiYamlRenderer()


@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class DocumentationView(SpectacularSwaggerSplitView):
    """Swagger UI over /api/v1/schema."""

    http_method_names = ("get", "head")

    def _get_schema_url(self, request: Request) -> str:
        return reverse(self.url_name)
