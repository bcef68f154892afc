"""Users and groups over SCIM, and the three calls by which the service describes itself."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError as InvalidEmailError
from django.core.validators import validate_email
from django.utils import timezone
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from scim2_models import (
    Context,
    InvalidValueException,
    ListResponse,
    PatchOp,
    ResourceType,
    Schema,
    UniquenessException,
)

from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.base import MAX_PROVISIONED_ID
from orgs.models.memberships import Member
from orgs.models.organisations import Group as StoredGroup
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor
from robots.api.scim import resources as s
from robots.api.scim.base import (
    ScimView,
    parse_body,
    render_list,
    render_resource,
    text_of,
)
from robots.provisioning import provisioned_groups as groups
from robots.provisioning import provisioned_members as members

MAX_NAME = 200
MAX_EMAIL = 254
MAX_OPERATIONS = 100
MAX_MEMBERS = 10_000


class ServiceProviderConfigView(ScimView):
    def get(self, request: Request) -> Response:
        """What the service can do."""
        body = s.CONFIG.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
        place = s.address_of("ServiceProviderConfig")
        return Response(body | {"meta": _described("ServiceProviderConfig", place)})


class DescriptionsView(ScimView):
    """The resource types or the schemas, all or one by its id."""

    kind: type[ResourceType] | type[Schema] = ResourceType

    def get(self, request: Request, scim_id: str = "") -> Response:
        """All of them, or one."""
        if "filter" in request.query_params:
            # RFC 7644, 4: a filter of these is refused.
            self.permission_denied(request, "These are not filtered.")
        every: Any = s.PROVIDER.schemas if self.kind is Schema else s.PROVIDER.resource_types
        name = self.kind.__name__
        bodies = {
            str(one.id): one.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
            | {"meta": _described(name, s.address_of(f"{name}s", one.id))}
            for one in every
        }
        if scim_id:
            if scim_id not in bodies:
                raise NotFound
            return Response(bodies[scim_id])
        return Response(
            {
                "schemas": [str(ListResponse.__schema__)],
                "totalResults": len(bodies),
                "startIndex": 1,
                "itemsPerPage": len(bodies),
                "Resources": list(bodies.values()),
            }
        )


def _described(kind: str, place: str) -> dict[str, str]:
    return {"resourceType": kind, "location": place}


class UsersView(ScimView):
    def get(self, request: Request) -> Response:
        """Members with an account, invited or joined, and those who were deactivated here."""
        actor = request.user
        columns = {"username": "user__email__iexact", "externalid": "provisioned_id"}
        with organisation_scope(actor.organisation_id):
            return render_list(
                request,
                s.User,
                members.provisioned_members(actor),
                lambda rows: [s.render_user(member) for member in rows],
                columns,
            )

    def post(self, request: Request) -> Response:
        """Invite somebody by their address; they join by themselves."""
        given = parse_body(s.WrittenUser, request, Context.RESOURCE_CREATION_REQUEST)
        try:
            member = members.provision_member(
                request.user,
                email=_email(given.user_name),
                name=text_of(given.display_name, "displayName", MAX_NAME).strip(),
                external_id=text_of(given.external_id, "externalId", MAX_PROVISIONED_ID),
                active=given.active is not False,
                now=timezone.now(),
            )
        except AlreadyExistsError as error:
            raise UniquenessException(detail=str(error)) from error
        return render_resource(
            request, s.render_user(member), Context.RESOURCE_CREATION_RESPONSE, status=201
        )


class UserView(ScimView):
    def get(self, request: Request, scim_user: UUID) -> Response:
        """One user."""
        member = members.get_provisioned_member(request.user, scim_user)
        return render_resource(request, s.render_user(member), Context.RESOURCE_QUERY_RESPONSE)

    def put(self, request: Request, scim_user: UUID) -> Response:
        """Give a user the state in the body; `active: false` is leaving."""
        member = members.get_provisioned_member(request.user, scim_user)
        given = parse_body(s.WrittenUser, request, Context.RESOURCE_REPLACEMENT_REQUEST)
        return self._update(request, member, given, Context.RESOURCE_REPLACEMENT_RESPONSE)

    def patch(self, request: Request, scim_user: UUID) -> Response:
        """Change what the operations name; `active: false` is leaving."""
        member = members.get_provisioned_member(request.user, scim_user)
        given = s.WrittenUser(
            external_id=member.provisioned_id or None,
            user_name=member.user.email if member.user else None,
            active=member.removed_at is None,
        )
        _apply_patch(request, s.WrittenUser, given)
        return self._update(request, member, given, Context.RESOURCE_PATCH_RESPONSE)

    def delete(self, request: Request, scim_user: UUID) -> Response:
        """Remove a user from this organisation; what they wrote stays."""
        member = members.get_provisioned_member(request.user, scim_user)
        members.remove_provisioned_member(request.user, member, now=timezone.now())
        return Response(status=204)

    def _update(
        self, request: Request, member: Member, given: s.WrittenUser, context: Context
    ) -> Response:
        # Without the attribute a user stays what they are: to leave takes a clear word.
        active = member.removed_at is None if given.active is None else given.active
        changed = members.update_provisioned_member(
            request.user,
            member,
            email=(given.user_name or "") if not active else _email(given.user_name),
            external_id=text_of(given.external_id, "externalId", MAX_PROVISIONED_ID),
            active=active,
            now=timezone.now(),
        )
        return render_resource(request, s.render_user(changed), context)


class GroupsView(ScimView):
    def get(self, request: Request) -> Response:
        """The groups that were made here, with their people."""
        actor = request.user
        columns = {"displayname": "name__iexact", "externalid": "provisioned_id"}
        with organisation_scope(actor.organisation_id):
            return render_list(
                request,
                s.Group,
                groups.provisioned_groups(actor),
                lambda rows: _render_groups(actor, rows),
                columns,
            )

    def post(self, request: Request) -> Response:
        """Make a confidential group of users who are here."""
        given = parse_body(s.Group, request, Context.RESOURCE_CREATION_REQUEST)
        try:
            group = groups.provision_group(request.user, **_group_values(given))
        except NotFoundError as error:
            raise _no_such_member() from error
        except AlreadyExistsError as error:
            raise UniquenessException(detail=str(error)) from error
        return _render_group(request, group, Context.RESOURCE_CREATION_RESPONSE, status=201)


class GroupView(ScimView):
    def get(self, request: Request, scim_group: UUID) -> Response:
        """One group."""
        group = groups.get_provisioned_group(request.user, scim_group)
        return _render_group(request, group, Context.RESOURCE_QUERY_RESPONSE)

    def put(self, request: Request, scim_group: UUID) -> Response:
        """Give a group the name and the people in the body."""
        group = groups.get_provisioned_group(request.user, scim_group)
        given = parse_body(s.Group, request, Context.RESOURCE_REPLACEMENT_REQUEST)
        return self._update(request, group, given, Context.RESOURCE_REPLACEMENT_RESPONSE)

    def patch(self, request: Request, scim_group: UUID) -> Response:
        """Change what the operations name: the name, or some of the people."""
        group = groups.get_provisioned_group(request.user, scim_group)
        with organisation_scope(request.user.organisation_id):
            given = _render_groups(request.user, [group])[0]
        _apply_patch(request, s.Group, given)
        return self._update(request, group, given, Context.RESOURCE_PATCH_RESPONSE)

    def delete(self, request: Request, scim_group: UUID) -> Response:
        """Take everybody out of a group; what was said in it stays."""
        group = groups.get_provisioned_group(request.user, scim_group)
        groups.remove_provisioned_group(request.user, group, now=timezone.now())
        return Response(status=204)

    def _update(
        self, request: Request, group: StoredGroup, given: s.Group, context: Context
    ) -> Response:
        try:
            changed = groups.update_provisioned_group(request.user, group, **_group_values(given))
        except NotFoundError as error:
            raise _no_such_member() from error
        return _render_group(request, changed, context)


def _apply_patch(request: Request, model: type[Any], resource: Any) -> None:
    """Apply the operations of a PATCH to a resource. Raises ValidationError and SCIMException."""
    body = request.data
    operations = body.get("Operations") if isinstance(body, dict) else None
    if isinstance(operations, list) and len(operations) > MAX_OPERATIONS:
        raise InvalidValueException(detail=f"A PATCH has at most {MAX_OPERATIONS} operations.")
    change = parse_body(PatchOp[model], request, Context.RESOURCE_PATCH_REQUEST)
    change.patch(resource, scim_policy=s.POLICY)


def _email(value: str | None) -> str:
    """An address. Raises InvalidValueException."""
    text = text_of(value, "userName", MAX_EMAIL).strip()
    try:
        validate_email(text)
    except InvalidEmailError as error:
        raise InvalidValueException(detail="userName is the e-mail address of a person.") from error
    return text


def _group_values(given: s.Group) -> dict[str, Any]:
    name = text_of(given.display_name, "displayName", MAX_NAME).strip()
    if not name:
        raise InvalidValueException(detail="displayName is the name of a group.")
    listed = given.members or []
    if len(listed) > MAX_MEMBERS:
        raise InvalidValueException(detail=f"A group has at most {MAX_MEMBERS} members here.")
    ids = [parse_uuid(member.value or "") for member in listed]
    if None in ids:
        raise _no_such_member()
    return {
        "name": name,
        "external_id": text_of(given.external_id, "externalId", MAX_PROVISIONED_ID),
        "members": ids,
        "now": timezone.now(),
    }


def _no_such_member() -> InvalidValueException:
    return InvalidValueException(detail="members: a user of this list is not here.")


def _render_groups(actor: Actor, rows: Sequence[StoredGroup]) -> list[s.Group]:
    people = groups.list_group_members(actor, [group.id for group in rows])
    return [s.render_group(group, people[group.id]) for group in rows]


def _render_group(
    request: Request, group: StoredGroup, context: Context, *, status: int = 200
) -> Response:
    with organisation_scope(request.user.organisation_id):
        rendered = _render_groups(request.user, [group])[0]
    return render_resource(request, rendered, context, status=status)
