"""Addresses of people and organisations."""

from django.urls import path

from orgs import views

pages = [
    path("accounts/login/", views.sign_in, name="login"),
    path("accounts/logout/", views.sign_out, name="logout"),
    path("invite/<uuid:organisation_id>/<str:secret>", views.invitation, name="invitation"),
    path("organisations/", views.organisations, name="organisations"),
    path("organisations/<slug:slug>/", views.organisation, name="organisation"),
]
