"""Users and groups as SCIM writes them, and what the service says about itself."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from django.conf import settings
from pydantic import Field
from scim2_models import (
    CaseExact,
    ComplexAttribute,
    Meta,
    Mutability,
    Reference,
    Required,
    Resource,
    Returned,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Uniqueness,
)
from scim2_models.urn import URN

PREFIX = "/scim/v2"
MAX_RESULTS = 200
USER_SCHEMA = URN("urn:ietf:params:scim:schemas:core:2.0:User")
GROUP_SCHEMA = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

# Providers send all that they know of a person, and what is not kept here is left out. The other
# two are what Entra sends.
POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)


class User(Resource[Any]):
    """A member with an account."""

    __schema__ = USER_SCHEMA

    user_name: Annotated[
        str | None, Mutability.immutable, Required.true, Returned.always, Uniqueness.server
    ] = None
    """The e-mail address of the account. Only its owner changes it."""

    display_name: Annotated[str | None, Mutability.read_only] = None
    """What colleagues call them. The name that a POST has is their first one."""

    active: Annotated[bool | None, Required.true, Returned.always] = None
    """Whether they are a member or invited. False: they have left. It always has a value; a body
    without it changes nothing."""


class WrittenUser(Resource[Any]):
    """A user in a body: what it may say is compared with what is stored afterwards."""

    __schema__ = USER_SCHEMA

    user_name: Annotated[str | None, Required.true] = None
    display_name: str | None = None
    active: bool | None = None


class GroupMember(ComplexAttribute):
    """A person in a group."""

    value: Annotated[str | None, Mutability.immutable, CaseExact.true] = None
    """The id of the user."""

    ref: Annotated[Reference["User"] | None, Mutability.immutable] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    """The address of the user."""


class Group(Resource[Any]):
    """A group that a provider made."""

    __schema__ = GROUP_SCHEMA

    display_name: Annotated[str | None, Required.true] = None
    """Its name."""

    members: list[GroupMember] | None = None
    """The people in it."""


CONFIG = ServiceProviderConfig.model_validate(
    {
        "patch": {"supported": True},
        "bulk": {"supported": False, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": MAX_RESULTS},
        "changePassword": {"supported": False},
        "sort": {"supported": False},
        "etag": {"supported": False},
        "authenticationSchemes": [
            {
                "type": "oauthbearertoken",
                "name": "Key of a robot",
                "description": "A key of the organisation with the scope `manage`.",
                "primary": True,
            }
        ],
    }
)
PROVIDER = ScimProvider(models=[User, Group], config=CONFIG)


def address_of(kind: str, name: object = "") -> str:
    """The address of a resource; kind: such as `Users`."""
    return f"{settings.PUBLIC_URL}{PREFIX}/{kind}" + (f"/{name}" if name else "")


def render_user(member: Any) -> User:
    """A member with their account, as a user."""
    return User(
        id=str(member.id),
        external_id=member.provisioned_id or None,
        meta=Meta(
            resource_type="User",
            created=member.created_at,
            location=address_of("Users", member.id),
        ),
        user_name=member.user.email,
        display_name=member.name,
        active=member.removed_at is None,
    )


def render_group(group: Any, members: Sequence[UUID]) -> Group:
    """A group; members: the ids of its people."""
    return Group(
        id=str(group.id),
        external_id=group.provisioned_id or None,
        meta=Meta(
            resource_type="Group",
            created=group.created_at,
            location=address_of("Groups", group.id),
        ),
        display_name=group.name,
        members=[GroupMember(value=str(id_), ref=address_of("Users", id_)) for id_ in members]
        or None,
    )
