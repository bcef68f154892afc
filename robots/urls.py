"""Addresses of robots: /api/v1/robots."""

from django.urls import path

from robots.api import views

api = [
    path("robots", views.RobotsView.as_view(), name="robots"),
    path("robots/<str:reference>", views.RobotView.as_view(), name="robot"),
    path("groups", views.GroupsView.as_view(), name="groups"),
    path("groups/<str:reference>", views.GroupView.as_view(), name="group"),
    path("groups/<str:reference>/members", views.GroupMembersView.as_view(), name="group-members"),
    path("members", views.MembersView.as_view(), name="members"),
    path("members/<str:reference>", views.MemberView.as_view(), name="member"),
]
