"""The URLs of the product."""

from django.contrib import admin
from django.urls import include, path

import memories.api.mem0.urls
import memories.api_urls
import memories.urls
import orgs.urls
import personas.urls
import robots.api.scim.urls
import robots.urls
from config.monitoring import health
from config.monitoring.metrics import metrics
from config.site import errors, server_page
from config.site.api_docs import DocumentationView, SchemaView
from config.site.design_page import design
from orgs.views.page_access import staff_only

handler404 = errors.not_found
handler500 = errors.server_error
handler403 = errors.forbidden
handler400 = errors.bad_request

api = [
    *memories.api_urls.patterns,
    *robots.urls.api,
    *personas.urls.api,
    path("schema", SchemaView.as_view(), name="schema"),
    path("docs", DocumentationView.as_view(url_name="schema"), name="docs"),
]

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/v1/", include(api)),
    path("mem0/", include(memories.api.mem0.urls)),
    path("scim/v2", include(robots.api.scim.urls)),
    path(
        "admin/", include([*orgs.urls.support, *robots.urls.support, *memories.urls.support_pages])
    ),
    path("admin/", admin.site.urls),
    path("operate/", server_page.server, name="operate"),
    path("operate/checks/", server_page.checks, name="operate-checks"),
    path("operate/keys/revoke/", server_page.revoke_key, name="operate-key-revoke"),
    path(
        "operate/organisations/<uuid:organisation_id>/",
        server_page.organisation,
        name="operate-organisation",
    ),
    path(
        "operate/organisations/<uuid:organisation_id>/suspend/",
        server_page.suspend,
        name="operate-suspend",
    ),
    path("design/", staff_only(design), name="design"),
    *orgs.urls.pages,
    *robots.urls.pages,
    *memories.urls.pages,
    *personas.urls.pages,
]
