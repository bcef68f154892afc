"""The tables of this app. The registry is for Django: callers import the defining module."""

from robots.models.conversations import Conversation, Message, MessageRole
from robots.models.delegations import Delegation
from robots.models.enrolments import EnrolmentKey
from robots.models.identities import IdentityLink
from robots.models.keys import Key, KeyScope
from robots.models.oauth import OAuthGrant
from robots.models.robots import Robot, RobotGroup
from robots.models.teams import Team, TeamRobot, TeamStatus

__all__ = [
    "Conversation",
    "Delegation",
    "EnrolmentKey",
    "IdentityLink",
    "Key",
    "KeyScope",
    "Message",
    "MessageRole",
    "OAuthGrant",
    "Robot",
    "RobotGroup",
    "Team",
    "TeamRobot",
    "TeamStatus",
]
