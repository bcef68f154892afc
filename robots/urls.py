"""Addresses of robots: /api/v1/robots."""

from django.urls import path

from orgs.api import converters  # noqa: F401  (registers `reference`)
from robots import views as web_views
from robots.api import views

api = [
    path("robots", views.RobotsView.as_view(), name="robots"),
    path("robots/<reference:reference>", views.RobotView.as_view(), name="robot"),
    path("groups", views.GroupsView.as_view(), name="groups"),
    path("groups/<reference:reference>", views.GroupView.as_view(), name="group"),
    path(
        "groups/<reference:reference>/members",
        views.GroupMembersView.as_view(),
        name="group-members",
    ),
    path("members", views.MembersView.as_view(), name="members"),
    path("members/<reference:reference>", views.MemberView.as_view(), name="member"),
]

pages = [
    path("robots/", web_views.robots, name="robots-page"),
    path("robots/add/", web_views.add, name="robot-add"),
    path("robots/<uuid:robot_id>/groups/", web_views.seats, name="robot-seats"),
    path("robots/<uuid:robot_id>/keys/", web_views.add_key, name="key-add"),
    path("robots/keys/<uuid:key_id>/renew/", web_views.renew_key, name="key-renew"),
    path("robots/keys/<uuid:key_id>/revoke/", web_views.revoke_key, name="key-revoke"),
]
