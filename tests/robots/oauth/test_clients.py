"""Who a client is, how it is shown, and where it may be sent."""

from typing import Any

import pytest
from allauth.idp.oidc.models import Client

from robots.oauth.clients import (
    check_redirects,
    describe_client,
    form_target,
    get_client,
    is_redirect_of,
    shown_name,
)
from robots.oauth.errors import ClientMetadataError
from tests.robots.oauth.assistants import CLIENT_ID, REDIRECT, serve_metadata


def client_of(*redirects: str, client_id: str = CLIENT_ID, name: str = "Wizard") -> Client:
    client = Client(id=client_id, name=name, secret="")
    client.set_redirect_uris(list(redirects))
    return client


@pytest.mark.parametrize(
    "client_id",
    [
        "http://assistant.example/client.json", "https://assistant.example",
        "https://assistant.example/", "https://assistant.example/a/../client.json",
        "https://assistant.example/client.json?x=1", "https://assistant.example/client.json#x",
        "https://a:b@assistant.example/client.json", "https://assistant.example:8443/client.json",
        "https://127.0.0.1/client.json", "https://[::1]/client.json", "https://2130706433/c.json",
        "https://0x7f.1/client.json", "https://localhost/client.json", "https://intranet/c.json",
        "https://Assistant.example/client.json", "https://ássistant.example/client.json",
        "https://assistant.example./client.json", "https://assistant.example/\u202ecli.json",
        "https://assistant.example\\@evil.example/client.json", "https:///client.json",
        "https://" + "a" * 64 + ".example/c.json", "https://assistant.example/" + "x" * 100,
        "https:assistant.example/client.json", "", "x" * 10_000, "\x00", "0" * 32,
    ],
)  # fmt: skip
def test_what_is_no_public_address_is_not_fetched(
    monkeypatch: pytest.MonkeyPatch, client_id: str
) -> None:
    fetched = serve_metadata(monkeypatch)
    with pytest.raises(ClientMetadataError):
        get_client(client_id)
    assert fetched == []


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "https://other.example/client.json"},
        {"client_id": None},
        {"redirect_uris": []},
        {"redirect_uris": None},
        {"redirect_uris": "https://assistant.example/callback"},
        {"redirect_uris": [REDIRECT, 7]},
        {"redirect_uris": [REDIRECT] * 21},
        {"grant_types": ["client_credentials"]},
        {"response_types": "code"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": ["none"]},
    ],
)
def test_metadata_that_is_not_in_order_is_refused(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    monkeypatch.setattr(
        "robots.oauth.clients.fetch_metadata",
        lambda address: {"client_id": address, "redirect_uris": [REDIRECT], **changes},
    )
    with pytest.raises(ClientMetadataError):
        get_client(CLIENT_ID)


@pytest.mark.parametrize("metadata", [None, [], "text", 7])
def test_metadata_that_is_no_object_is_refused(
    monkeypatch: pytest.MonkeyPatch, metadata: Any
) -> None:
    monkeypatch.setattr("robots.oauth.clients.fetch_metadata", lambda _: metadata)
    with pytest.raises(ClientMetadataError):
        get_client(CLIENT_ID)


def test_a_client_that_can_also_do_without_a_key_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    serve_metadata(
        monkeypatch,
        token_endpoint_auth_method="private_key_jwt",
        token_endpoint_auth_methods_supported=["private_key_jwt", "none"],
    )
    assert get_client(CLIENT_ID).id == CLIENT_ID


def test_only_hosts_of_the_list_are_fetched_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    fetched = serve_metadata(monkeypatch)
    settings.OAUTH_CLIENT_HOSTS = ["assistant.example"]
    assert get_client(CLIENT_ID).name == "Wizard"
    with pytest.raises(ClientMetadataError, match="only some assistants"):
        get_client("https://assistant.example.evil.example/client.json")
    assert fetched == [CLIENT_ID]


@pytest.mark.parametrize(
    "address",
    [
        "https://assistant.example/callback", "http://127.0.0.1/callback", "http://[::1]:1/callback",
        "http://localhost:8787/callback", "cursor://anysphere.cursor-mcp/oauth/callback",
        "com.example.app:/callback",
    ],
)  # fmt: skip
def test_safe_addresses_to_return_to(address: str) -> None:
    check_redirects([address])
    assert is_redirect_of(client_of(address), address)


@pytest.mark.parametrize(
    "address",
    [
        "http://assistant.example/callback", "javascript:alert(1)", "JavaScript:alert(1)",
        "data:text/html,x", "https://assistant.example/callback#x", "https://a@b.example/c",
        "https://*.example/callback", "//assistant.example/callback", "/callback", "",
        "https://assistant.example/call back", "https://assistant.example/\ncallback",
        "https://assistant.example\\evil.example", "https://ássistant.example/", "file:///etc/passwd",
        "http://127.0.0.1.evil.example/", "http://localhost@evil.example/", "https:///callback",
        "https://assistant.example:99999/callback", "https://assistant.example/" + "x" * 2_000,
        "about:blank", "blob:https://assistant.example/x", "vbscript:x", "intent://x",
    ],
)  # fmt: skip
def test_unsafe_addresses_to_return_to(address: str) -> None:
    with pytest.raises(ClientMetadataError):
        check_redirects([REDIRECT, address])
    assert not is_redirect_of(client_of(address), address)


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        (REDIRECT, REDIRECT + "/"), (REDIRECT, REDIRECT + "?x=1"), (REDIRECT, REDIRECT.upper()),
        (REDIRECT, "https://assistant.example:443/callback"),
        (REDIRECT, "https://assistant.example/callbac%6b"),
        (REDIRECT, "https://assistant.example.evil.example/callback"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:8000/other"),
        ("http://127.0.0.1/callback", "http://localhost:8000/callback"),
        ("http://127.0.0.1/callback", "https://127.0.0.1:8000/callback"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:8000/callback?x=1"),
        ("cursor://a/b", "cursor://a/c"), ("cursor://a:1/b", "cursor://a:2/b"),
    ],
)  # fmt: skip
def test_an_address_differs_from_the_known_one(known: str, asked: str) -> None:
    assert not is_redirect_of(client_of(known), asked)


def test_a_program_on_the_device_chooses_its_port() -> None:
    client = client_of("http://localhost/callback", "http://127.0.0.1/callback")
    assert is_redirect_of(client, "http://localhost:3118/callback")
    assert is_redirect_of(client, "http://127.0.0.1:59656/callback")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Wizard", "Wizard"), ("  Wi \n zard ", "Wi zard"), ("W" * 10_000, "W" * 59 + "…"),
        ("Wi\u202ezard", ""), ("Wi\u200bzard", ""), ("W\u0456zard", ""), ("", ""), ("\u3164", ""),
        ("Zauberer Über", "Zauberer Über"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_read_for_sure_is_not_shown(name: str, shown: str) -> None:
    assert shown_name(name) == shown


def test_the_host_is_that_of_the_id_whatever_the_name_says() -> None:
    look = describe_client(client_of(REDIRECT, name="claude.ai"), REDIRECT)
    assert (look.host, look.is_verified, look.is_local) == ("assistant.example", True, False)
    itself = client_of("http://127.0.0.1/x", client_id="0" * 32, name="claude.ai")
    look = describe_client(itself, "http://127.0.0.1:9/x")
    assert (look.host, look.is_verified, look.is_local) == ("127.0.0.1", False, True)
    look = describe_client(client_of("cursor://x/y", client_id="0" * 32), "cursor://x/y")
    assert (look.host, look.is_verified) == ("cursor application", False)


@pytest.mark.parametrize(
    ("address", "target"),
    [
        (REDIRECT, "https://assistant.example"), ("http://127.0.0.1:9/x", "http://127.0.0.1:9"),
        ("http://[::1]:9/x", "http:"), ("cursor://a/b", "cursor:"),
    ],
)  # fmt: skip
def test_the_form_may_lead_there_alone(address: str, target: str) -> None:
    assert form_target(address) == target
