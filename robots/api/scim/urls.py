"""The addresses under /scim/v2."""

from django.urls import path
from scim2_models import ResourceType, Schema

from orgs.api import converters  # noqa: F401  (registers `reference`)
from robots.api.scim import views
from robots.api.scim.base import NotBuiltView, NotHereView

_types = views.DescriptionsView.as_view(kind=ResourceType)
_schemas = views.DescriptionsView.as_view(kind=Schema)

urlpatterns = [
    path("/ServiceProviderConfig", views.ServiceProviderConfigView.as_view()),
    path("/ResourceTypes", _types),
    path("/ResourceTypes/<reference:scim_id>", _types),
    path("/Schemas", _schemas),
    path("/Schemas/<reference:scim_id>", _schemas),
    path("/Users", views.UsersView.as_view()),
    path("/Users/<uuid:scim_user>", views.UserView.as_view()),
    path("/Groups", views.GroupsView.as_view()),
    path("/Groups/<uuid:scim_group>", views.GroupView.as_view()),
    path("/.search", NotBuiltView.as_view()),
    path("/Bulk", NotBuiltView.as_view()),
    path("/Me", NotBuiltView.as_view()),
    path("", NotHereView.as_view()),
    path("/<path:rest>", NotHereView.as_view()),
]
