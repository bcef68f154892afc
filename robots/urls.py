"""Addresses of robots, people and groups."""

from django.urls import path

from orgs.api import converters  # noqa: F401  (registers `reference`)
from robots.api import (
    conversations,
    identities,
    keys,
    organisation,
    organisations,
    robots,
    teams,
)
from robots.api import people as api_people
from robots.views import enrolment as enrolment_pages
from robots.views import groups, oauth, people
from robots.views import key_limits as limit_pages
from robots.views import key_usage as heard_pages
from robots.views import robots as web_views
from robots.views import support as support_pages
from robots.views import teams as team_pages

api = [
    path("robots", robots.RobotsView.as_view(), name="robots"),
    path("robots/<reference:reference>", robots.RobotView.as_view(), name="robot"),
    path("robots/<reference:reference>/keys", keys.KeysView.as_view(), name="robot-keys"),
    path(
        "robots/<reference:reference>/keys/<uuid:key_id>", keys.KeyView.as_view(), name="robot-key"
    ),
    path(
        "robots/<reference:reference>/keys/<uuid:key_id>/renew",
        keys.KeyRenewView.as_view(),
        name="robot-key-renew",
    ),
    path("enrol", keys.EnrolView.as_view(), name="enrol"),
    path("enrolment-keys", keys.EnrolmentKeysView.as_view(), name="enrolment-keys-api"),
    path(
        "enrolment-keys/<uuid:key_id>",
        keys.EnrolmentKeyView.as_view(),
        name="enrolment-key-api",
    ),
    path("organisation", organisation.OrganisationView.as_view(), name="organisation-api"),
    path("organisations", organisations.OrganisationsView.as_view(), name="organisations-api"),
    path(
        "organisations/<uuid:organisation_id>",
        organisations.OrganisationRemovalView.as_view(),
        name="organisation-removal",
    ),
    path(
        "organisation/usage",
        organisation.OrganisationUsageView.as_view(),
        name="organisation-usage",
    ),
    path("invitations", organisation.InvitationsView.as_view(), name="invitations-api"),
    path(
        "invitations/<uuid:member_id>", organisation.InvitationView.as_view(), name="invitation-api"
    ),
    path("teams", teams.TeamsView.as_view(), name="teams"),
    path("teams/<reference:reference>", teams.TeamView.as_view(), name="team"),
    path("teams/<reference:reference>/robots", teams.TeamRobotsView.as_view(), name="team-robots"),
    path(
        "teams/<reference:reference>/robots/<reference:robot>",
        teams.TeamRobotView.as_view(),
        name="team-robot",
    ),
    path(
        "teams/<reference:reference>/heartbeat",
        teams.HeartbeatView.as_view(),
        name="team-heartbeat",
    ),
    path("teams/<reference:reference>/promote", teams.PromoteView.as_view(), name="team-promote"),
    path("teams/<reference:reference>/demote", teams.DemoteView.as_view(), name="team-demote"),
    path("groups", api_people.GroupsView.as_view(), name="groups"),
    path("groups/<reference:reference>", api_people.GroupView.as_view(), name="group"),
    path(
        "groups/<reference:reference>/members",
        api_people.GroupMembersView.as_view(),
        name="group-members",
    ),
    path(
        "groups/<reference:reference>/robots",
        api_people.GroupRobotsView.as_view(),
        name="group-robots",
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
        "conversations/<uuid:conversation_id>/earlier",
        conversations.EarlierView.as_view(),
        name="conversation-earlier",
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

# Clients of OAuth find these by the first two.
oauth_addresses = [
    path(
        ".well-known/oauth-authorization-server",
        oauth.authorization_server,
        name="oauth-authorization-server",
    ),
    path(
        ".well-known/oauth-protected-resource/mcp",
        oauth.protected_resource,
        name="oauth-protected-resource",
    ),
    path("oauth/authorize", oauth.authorize, name="oauth-authorize"),
    path("oauth/token", oauth.token, name="oauth-token"),
    path("oauth/revoke", oauth.revoke, name="oauth-revoke"),
    path("oauth/register", oauth.register, name="oauth-register"),
]

pages = [
    *oauth_addresses,
    path("robots/", web_views.robots, name="robots-page"),
    path("robots/add/", web_views.add, name="robot-add"),
    path("robots/<uuid:robot_id>/describe/", web_views.describe, name="robot-describe"),
    path("robots/<uuid:robot_id>/groups/", web_views.robot_groups, name="robot-seats"),
    path("robots/<uuid:robot_id>/keys/", web_views.add_key, name="key-add"),
    path("robots/keys/<uuid:key_id>/heard/", heard_pages.key_usage, name="key-heard"),
    path("robots/keys/<uuid:key_id>/renew/", web_views.renew_key, name="key-renew"),
    path("robots/keys/<uuid:key_id>/limits/", limit_pages.key_limits, name="key-limits"),
    path("robots/keys/<uuid:key_id>/revoke/", web_views.revoke_key, name="key-revoke"),
    path("robots/enrolment/", enrolment_pages.enrolment, name="enrolment"),
    path("robots/enrolment/add/", enrolment_pages.add, name="enrolment-add"),
    path(
        "robots/enrolment/<uuid:key_id>/revoke/",
        enrolment_pages.revoke,
        name="enrolment-revoke",
    ),
    path("robots/teams/", team_pages.teams, name="teams-page"),
    path("robots/teams/add/", team_pages.add, name="team-add"),
    path("robots/teams/<uuid:team_id>/change/", team_pages.change, name="team-change"),
    path("robots/teams/<uuid:team_id>/remove/", team_pages.remove, name="team-remove"),
    path("robots/teams/<uuid:team_id>/robots/add/", team_pages.add_robot, name="team-robot-add"),
    path(
        "robots/teams/<uuid:team_id>/robots/remove/",
        team_pages.remove_robot,
        name="team-robot-remove",
    ),
    path("robots/teams/<uuid:team_id>/promote/", team_pages.promote, name="team-promote-page"),
    path("robots/teams/<uuid:team_id>/demote/", team_pages.demote, name="team-demote-page"),
    path("people/", people.people, name="people"),
    path("people/<uuid:member_id>/", people.person, name="person"),
    path("people/<uuid:member_id>/role/", people.role, name="person-role"),
    path("people/<uuid:member_id>/remove/", people.remove, name="person-remove"),
    path("people/<uuid:member_id>/identities/", people.link_identity, name="person-link"),
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
    path(
        "people/invitations/<uuid:member_id>/withdraw/", people.cancel_invitation, name="uninvite"
    ),
    path("people/usage/", people.usage, name="usage"),
    path("people/groups/", groups.groups, name="groups-page"),
    path("people/groups/add/", groups.add, name="group-add"),
    path("people/groups/<uuid:group_id>/", groups.group, name="group-page"),
    path("people/groups/<uuid:group_id>/seat/", groups.add_member, name="group-seat"),
    path("people/groups/<uuid:group_id>/unseat/", groups.remove_member, name="group-unseat"),
    path("people/groups/<uuid:group_id>/profile/", groups.profile, name="group-profile"),
    path(
        "people/groups/<uuid:group_id>/contradictions/",
        groups.contradiction_policy,
        name="group-contradictions",
    ),
    path(
        "people/groups/<uuid:group_id>/confidential/",
        groups.confidential,
        name="group-confidential",
    ),
]

# Under /admin/, before the addresses of Django's admin.
support = [
    path("organisation/robots/", support_pages.robots, name="support-robots"),
]
