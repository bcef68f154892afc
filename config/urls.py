"""Every address of the product."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

import memories.urls
import robots.urls
from config import errors, health

handler404 = errors.not_found
handler500 = errors.server_error
handler403 = errors.forbidden
handler400 = errors.bad_request

api = [
    *memories.urls.api,
    *robots.urls.api,
    path("schema", SpectacularAPIView.as_view(), name="schema"),
    path("docs", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
]

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("api/v1/", include(api)),
    path("admin/", admin.site.urls),
]
