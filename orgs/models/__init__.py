"""The tables of this app. The registry is for Django: callers import the defining module."""

from orgs.models.audiences import Audience, AudienceEntry, AudienceType, ReaderType
from orgs.models.audit import AuditCursor, AuditEntry
from orgs.models.base import TenantForeignKey, TenantModel, new_id
from orgs.models.idempotency import IdempotencyRecord
from orgs.models.memberships import ExternalIdentity, Member, Role
from orgs.models.organisations import (
    ContradictionPolicy,
    Group,
    GroupMembership,
    IngestProfile,
    Organisation,
    Projection,
)
from orgs.models.placements import AccountCopy, OrganisationFence, OrganisationMove, Placement
from orgs.models.sign_ins import SignIn
from orgs.models.superuser_keys import SuperuserKey
from orgs.models.support import SupportAct
from orgs.models.users import User

__all__ = [
    "AccountCopy",
    "Audience",
    "AudienceEntry",
    "AudienceType",
    "AuditCursor",
    "AuditEntry",
    "ContradictionPolicy",
    "ExternalIdentity",
    "Group",
    "GroupMembership",
    "IdempotencyRecord",
    "IngestProfile",
    "Member",
    "Organisation",
    "OrganisationFence",
    "OrganisationMove",
    "Placement",
    "Projection",
    "ReaderType",
    "Role",
    "SignIn",
    "SuperuserKey",
    "SupportAct",
    "TenantForeignKey",
    "TenantModel",
    "User",
    "new_id",
]
