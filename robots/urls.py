"""Addresses of robots, people and groups."""

from django.urls import path

from orgs.api import converters  # noqa: F401  (registers `reference`)
from robots.api import conversations, identities, robots
from robots.api import people as api_people
from robots.views import groups, people
from robots.views import robots as web_views

api = [
    path("robots", robots.RobotsView.as_view(), name="robots"),
    path("robots/<reference:reference>", robots.RobotView.as_view(), name="robot"),
    path("groups", api_people.GroupsView.as_view(), name="groups"),
    path("groups/<reference:reference>", api_people.GroupView.as_view(), name="group"),
    path(
        "groups/<reference:reference>/members",
        api_people.GroupMembersView.as_view(),
        name="group-members",
    ),
    path("members", api_people.MembersView.as_view(), name="members"),
    path("members/<reference:reference>", api_people.MemberView.as_view(), name="member"),
    path(
        "members/<reference:reference>/identities",
        identities.IdentitiesView.as_view(),
        name="member-identities",
    ),
    path(
        "members/<reference:reference>/identities/<reference:identity>",
        identities.IdentityView.as_view(),
        name="member-identity",
    ),
    path(
        "members/<reference:reference>/identities/<reference:identity>/confirm",
        identities.ConfirmView.as_view(),
        name="member-identity-confirm",
    ),
    path("conversations", conversations.ConversationsView.as_view(), name="conversations"),
    path(
        "conversations/<uuid:conversation_id>",
        conversations.ConversationView.as_view(),
        name="conversation",
    ),
    path(
        "conversations/<uuid:conversation_id>/messages",
        conversations.MessagesView.as_view(),
        name="messages",
    ),
    path(
        "conversations/<uuid:conversation_id>/messages/batch",
        conversations.MessageBatchView.as_view(),
        name="messages-batch",
    ),
]

pages = [
    path("robots/", web_views.robots, name="robots-page"),
    path("robots/add/", web_views.add, name="robot-add"),
    path("robots/<uuid:robot_id>/groups/", web_views.seats, name="robot-seats"),
    path("robots/<uuid:robot_id>/keys/", web_views.add_key, name="key-add"),
    path("robots/keys/<uuid:key_id>/renew/", web_views.renew_key, name="key-renew"),
    path("robots/keys/<uuid:key_id>/revoke/", web_views.revoke_key, name="key-revoke"),
    path("people/", people.people, name="people"),
    path("people/<uuid:member_id>/", people.person, name="person"),
    path("people/<uuid:member_id>/role/", people.role, name="person-role"),
    path("people/<uuid:member_id>/remove/", people.remove, name="person-remove"),
    path("people/<uuid:member_id>/identities/", people.link, name="person-link"),
    path(
        "people/<uuid:member_id>/identities/<uuid:identity_id>/confirm/",
        people.confirm_identity,
        name="identity-confirm",
    ),
    path(
        "people/<uuid:member_id>/identities/<uuid:identity_id>/unlink/",
        people.unlink_identity,
        name="identity-unlink",
    ),
    path("people/invitations/", people.invitations, name="invitations"),
    path("people/invitations/add/", people.invite, name="invite"),
    path("people/invitations/<uuid:member_id>/withdraw/", people.uninvite, name="uninvite"),
    path("people/groups/", groups.groups, name="groups-page"),
    path("people/groups/add/", groups.add, name="group-add"),
    path("people/groups/<uuid:group_id>/", groups.group, name="group-page"),
    path("people/groups/<uuid:group_id>/seat/", groups.seat, name="group-seat"),
    path("people/groups/<uuid:group_id>/unseat/", groups.unseat, name="group-unseat"),
    path("people/groups/<uuid:group_id>/profile/", groups.profile, name="group-profile"),
    path(
        "people/groups/<uuid:group_id>/confidential/",
        groups.confidential,
        name="group-confidential",
    ),
]
