"""A member's calendars and mailboxes over HTTP."""

from base64 import b64decode
from io import BytesIO
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.context.connectors.accounts import (
    add_account,
    delete_account,
    get_account,
    member_accounts,
    refresh_account,
    resolve_member_principal,
)
from memories.context.connectors.mailboxes import MAX_PART_CHARACTERS, make_mailbox
from memories.context.connectors.models import Account, AccountType, PauseReason
from memories.context.connectors.subscriptions import (
    FETCHED_KINDS,
    change_subscription,
    subscribe_to_address,
    subscribe_to_mailbox,
)
from memories.jobs.fetch_schedule import (
    DEFAULT_PERIOD_MINUTES,
    MAX_PERIOD_MINUTES,
    MIN_PERIOD_MINUTES,
)
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    ChoiceField,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)
from orgs.outbound.imap import ENCRYPTIONS, TLS
from orgs.outbound.url_rules import MAX_URL_CHARACTERS

ENCODINGS = TEXT, BASE64 = ("text", "base64")
MEMBER_HELP = "The member for whom a robot asks; the robot needs the member's delegation."


class WhoseSerializer(StrictSerializer):
    """Query parameters."""

    member = TextField(max_length=400, required=False, help_text=MEMBER_HELP)


class FileSerializer(StrictSerializer):
    member = TextField(max_length=400, required=False, help_text=MEMBER_HELP)
    content = TextField(
        trim_whitespace=False,
        pattern=r"^[^\u0000]+$",
        help_text="The whole file. A calendar has at most 4,000,000 bytes, a mailbox 100,000,000; "
        "the limit of the request body may be lower.",
    )
    encoding = ChoiceField(
        ENCODINGS, default=TEXT, help_text="Send a file that is not UTF-8 as base64."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The bytes of the file as `data`."""
        content = attrs.pop("content")
        if attrs.pop("encoding") == TEXT:
            return {**attrs, "data": content.encode()}
        try:
            return {**attrs, "data": b64decode(content, validate=True)}
        except ValueError as error:
            raise serializers.ValidationError({"content": ["This is no base64."]}) from error


PERIOD_HELP = "Minutes between two fetches."


class MailboxSerializer(StrictSerializer):
    """A folder on an IMAP server."""

    host = TextField(max_length=253, help_text="The name of the IMAP server.")
    port = serializers.IntegerField(
        required=False, min_value=1, max_value=65_535, help_text="993, with STARTTLS 143."
    )
    encryption = ChoiceField(
        ENCRYPTIONS, default=TLS, help_text="From the first byte (`tls`), or with STARTTLS."
    )
    user = TextField(max_length=MAX_PART_CHARACTERS)
    password = TextField(
        max_length=MAX_PART_CHARACTERS,
        trim_whitespace=False,
        help_text="An app password. It is encrypted and never shown again.",
    )
    folder = TextField(max_length=MAX_PART_CHARACTERS, default="INBOX")


class AccountRequestSerializer(FileSerializer):
    kind = ChoiceField(AccountType.choices)
    name = TextField(max_length=100, help_text="Unique among the accounts of the member.")
    content = TextField(
        required=False,
        trim_whitespace=False,
        pattern=r"^[^\u0000]+$",
        help_text="The whole file; either it, `url` or `mailbox`. A calendar has at most 4,000,000 "
        "bytes, a mailbox 100,000,000; the limit of the request body may be lower.",
    )
    url = TextField(
        required=False,
        max_length=MAX_URL_CHARACTERS,
        help_text="Of a calendar or feed: an https address that it is fetched from, each period. "
        "It is encrypted and never shown again. A feed is not handed in as a file.",
    )
    mailbox = MailboxSerializer(
        required=False,
        help_text="Of mail: an IMAP server that its new mails are fetched from, each period.",
    )
    period_minutes = serializers.IntegerField(
        required=False,
        min_value=MIN_PERIOD_MINUTES,
        max_value=MAX_PERIOD_MINUTES,
        help_text=f"{PERIOD_HELP} {DEFAULT_PERIOD_MINUTES} if left out.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Either the bytes of the file as `data`, or `url`, or `mailbox`."""
        if sum(name in attrs for name in ("url", "content", "mailbox")) != 1:
            raise serializers.ValidationError(
                {"content": ["Send either content, or url, or mailbox."]}
            )
        if "content" in attrs:
            if attrs["kind"] == AccountType.FEED:
                raise serializers.ValidationError({"content": ["A feed needs a url."]})
            if "period_minutes" in attrs:
                raise serializers.ValidationError(
                    {"period_minutes": ["It needs a url or a mailbox."]}
                )
            return super().validate(attrs)
        if "url" in attrs and attrs["kind"] not in FETCHED_KINDS:
            raise serializers.ValidationError({"url": ["Only a calendar or feed is fetched."]})
        if "mailbox" in attrs and attrs["kind"] != AccountType.MAIL:
            raise serializers.ValidationError({"mailbox": ["Only mail has a mailbox."]})
        return attrs


class AccountChangeSerializer(StrictSerializer):
    member = TextField(max_length=400, required=False, help_text=MEMBER_HELP)
    paused = serializers.BooleanField(
        required=False, help_text="true pauses; false fetches now, and each period again."
    )
    period_minutes = serializers.IntegerField(
        required=False,
        min_value=MIN_PERIOD_MINUTES,
        max_value=MAX_PERIOD_MINUTES,
        help_text=PERIOD_HELP,
    )
    password = TextField(
        required=False,
        max_length=MAX_PART_CHARACTERS,
        trim_whitespace=False,
        help_text="Of a mailbox: another password for the same user, with which it is fetched now. "
        "It is encrypted and never shown.",
    )


class SubscriptionSerializer(serializers.Serializer[Any]):
    period_minutes = serializers.IntegerField(help_text=PERIOD_HELP)
    next_run_at = serializers.DateTimeField(
        allow_null=True, help_text="When it is fetched next; null while it is paused."
    )
    failures = serializers.IntegerField(
        help_text="Failed fetches one after another; the fifth pauses it."
    )
    paused_for = ChoiceField(
        [("", "Not paused"), *PauseReason.choices], help_text="Why it is paused."
    )


class AccountSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    kind = ChoiceField(AccountType.choices)
    name = serializers.CharField()
    entries = serializers.IntegerField(help_text="The number of stored events or mails.")
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="Sentences about what was left out."
    )
    created_at = serializers.DateTimeField()
    refreshed_at = serializers.DateTimeField(help_text="When its file was last sent or fetched.")
    subscription = SubscriptionSerializer(
        allow_null=True, help_text="Of one that is fetched from an address."
    )


class AccountListSerializer(serializers.Serializer[Any]):
    results = AccountSerializer(many=True)


def _render_account(row: Account) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "name": row.name,
        "entries": row.entries,
        "problems": row.problems,
        "created_at": row.created_at,
        "refreshed_at": row.refreshed_at,
        "subscription": {
            "period_minutes": row.period_minutes,
            "next_run_at": row.next_run_at,
            "failures": row.failures,
            "paused_for": row.paused_for,
        }
        if row.url
        else None,
    }


class AccountsView(APIView):
    @extend_schema(
        operation_id="accounts_list", parameters=[WhoseSerializer], responses=AccountListSerializer
    )
    def get(self, request: Request) -> Response:
        """List the calendars and mailboxes of a member, by name; without pages."""
        asked = validate_data(WhoseSerializer, query_values(request))
        principal = resolve_member_principal(request.user, asked.get("member"))
        with principal.scope():
            rows = [_render_account(row) for row in member_accounts(principal).order_by("name")]
        return Response({"results": rows})

    @extend_schema(
        operation_id="accounts_add",
        request=AccountRequestSerializer,
        responses={201: AccountSerializer},
    )
    def post(self, request: Request) -> Response:
        """Add an account with the file of a calendar (iCalendar) or a mailbox (mbox), or with the
        address of a calendar or feed (`url`) or an IMAP server (`mailbox`), from which a worker
        fetches at once and each period.

        A member has at most 20 accounts (409 `too-many`). 400 `unreadable` for another file, 409
        `conflict` for a name that is taken.
        """
        asked = validate_data(AccountRequestSerializer, request.data)
        principal = resolve_member_principal(request.user, asked.get("member"))
        if "url" in asked:
            made = subscribe_to_address(
                principal,
                kind=asked["kind"],
                name=asked["name"],
                url=asked["url"],
                period_minutes=asked.get("period_minutes", DEFAULT_PERIOD_MINUTES),
                now=timezone.now(),
            )
            return Response(_render_account(made), status=201)
        if "mailbox" in asked:
            made = subscribe_to_mailbox(
                principal,
                name=asked["name"],
                mailbox=make_mailbox(**asked["mailbox"]),
                period_minutes=asked.get("period_minutes", DEFAULT_PERIOD_MINUTES),
                now=timezone.now(),
            )
            return Response(_render_account(made), status=201)
        made = add_account(
            principal,
            kind=asked["kind"],
            name=asked["name"],
            file=BytesIO(asked["data"]),
            size=len(asked["data"]),
            now=timezone.now(),
        )
        return Response(_render_account(made), status=201)


class AccountView(APIView):
    own_rights = ("DELETE",)

    @extend_schema(
        operation_id="accounts_get", parameters=[WhoseSerializer], responses=AccountSerializer
    )
    def get(self, request: Request, account_id: UUID) -> Response:
        """One account of the member."""
        asked = validate_data(WhoseSerializer, query_values(request))
        principal = resolve_member_principal(request.user, asked.get("member"))
        with principal.scope():
            return Response(_render_account(get_account(principal, account_id)))

    @extend_schema(
        operation_id="accounts_change",
        request=AccountChangeSerializer,
        responses=AccountSerializer,
    )
    def patch(self, request: Request, account_id: UUID) -> Response:
        """Pause a subscription, fetch it now and each period again, or change its period or the
        password of its mailbox. 409 `no-subscription` for an account without an address."""
        asked = validate_data(AccountChangeSerializer, request.data)
        principal = resolve_member_principal(request.user, asked.pop("member", None))
        found = change_subscription(principal, account_id, now=timezone.now(), **asked)
        return Response(_render_account(found))

    @extend_schema(
        operation_id="accounts_remove", parameters=[WhoseSerializer], responses={204: None}
    )
    def delete(self, request: Request, account_id: UUID) -> Response:
        """Remove an account with all its events or mails."""
        asked = validate_data(WhoseSerializer, query_values(request))
        principal = resolve_member_principal(request.user, asked.get("member"))
        delete_account(principal, account_id, now=timezone.now())
        return Response(status=204)


class AccountFileView(APIView):
    @extend_schema(
        operation_id="accounts_refresh",
        request=FileSerializer,
        responses=AccountSerializer,
    )
    def put(self, request: Request, account_id: UUID) -> Response:
        """Replace the entries of an account by those of a new file.

        A file that cannot be read changes nothing.
        """
        asked = validate_data(FileSerializer, request.data)
        principal = resolve_member_principal(request.user, asked.get("member"))
        found = refresh_account(
            principal,
            account_id,
            file=BytesIO(asked["data"]),
            size=len(asked["data"]),
            now=timezone.now(),
        )
        return Response(_render_account(found))
