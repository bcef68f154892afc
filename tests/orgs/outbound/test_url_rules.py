"""Which addresses an endpoint may have (N08)."""

import pytest
from django.test import override_settings

from orgs.outbound.url_rules import InvalidUrlError, check_url

pytestmark = pytest.mark.conformance("N08")


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.org/in", "https://hooks.example.org:8443/in?a=b", "https://a.b.co",
        "https://1.1.1.1/in", "https://[2606:4700:4700::1111]/in", "HTTPS://Hooks.Example.Org/",
        "https://a_b.example.org/",
    ],
)  # fmt: skip
def test_public_addresses_by_https(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.org/in", "ftp://hooks.example.org", "javascript:alert(1)", "", "/in",
        "https://", "https:///in", "https://user:secret@hooks.example.org/", "https://@a.example/",
        "https://localhost/", "https://localhost./", "https://127.0.0.1/", "https://127.1/",
        "https://2130706433/", "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://10.0.0.1/",
        "https://169.254.169.254/latest/", "https://[::1]/", "https://[::ffff:127.0.0.1]/",
        "https://[fd00:ec2::254]/", "https://[64:ff9b::a9fe:a9fe]/", "https://[fe80::1%25eth0]/",
        "https://intranet/", "https://hooks.example.org/#part", "https://hooks.example.org\\@a.org",
        "https://hooks.example.org:99999/", "https://hooks.example.org/ a", "https://h\u00fc.example/",
        "https://hooks.example.org/\r\nHost: a", "https://[::1", "https://a.example.1/",
        "https://hooks.example.org/" + "a" * 2_000, "https://-a.example/", "https://a..example.org/",
    ],
)  # fmt: skip
def test_others_are_refused(url: str) -> None:
    with pytest.raises(InvalidUrlError):
        check_url(url)


def test_the_settings_allow_more_and_less() -> None:
    with override_settings(WEBHOOK_HTTP=True):
        check_url("http://hooks.example.org/")
    inside = frozenset({"intranet", "10.0.0.8"})
    for url in ("https://intranet/in", "https://INTRANET/in", "https://10.0.0.8:8443/in"):
        check_url(url, private_hosts=inside)
        with pytest.raises(InvalidUrlError):
            check_url(url)
    for url in ("https://10.0.0.9/", "http://intranet/in"):
        with pytest.raises(InvalidUrlError):
            check_url(url, private_hosts=inside)
    with override_settings(WEBHOOK_HOSTS=frozenset({"hooks.example.org"})):
        check_url("https://hooks.example.org/in")
        with pytest.raises(InvalidUrlError, match="only some hosts"):
            check_url("https://other.example.org/in")
