"""Who may write what, as rules: each table is written out by hand from the contract."""

import pytest

from memories.access.visibility import (
    KindInputs,
    MemoryRequestError,
    Visibility,
    WriteAccess,
    check_kind,
    default_visibility,
    derive_kind,
    effective_visibility,
    write_access,
)

ROLES = ("admin", "curator", "member", "viewer")
PRIVATE, ORGANISATION, PUBLIC = Visibility.PRIVATE, Visibility.ORGANISATION, Visibility.GROUP


@pytest.mark.conformance("Z04")
@pytest.mark.parametrize(
    ("role", "private", "organisation", "public_inside", "public_outside"),
    [
        ("admin", "yes", "yes", "yes", "no"),
        ("curator", "yes", "yes", "yes", "no"),
        ("member", "yes", "propose", "yes", "no"),
        ("viewer", "no", "no", "no", "no"),
    ],
)
def test_what_a_role_writes(
    role: str, private: str, organisation: str, public_inside: str, public_outside: str
) -> None:
    assert write_access(role, PRIVATE) == private
    assert write_access(role, ORGANISATION) == organisation
    assert write_access(role, PUBLIC, in_group=True) == public_inside
    assert write_access(role, PUBLIC) == public_outside
    assert write_access(role, Visibility.INTERNAL) == "no"


@pytest.mark.conformance("Z04")
@pytest.mark.parametrize(
    ("role", "outcome"), [("admin", "yes"), ("curator", "yes"), ("member", "yes"), ("viewer", "no")]
)
def test_where_members_publish_they_need_no_review(role: str, outcome: str) -> None:
    assert write_access(role, ORGANISATION, members_publish=True) is WriteAccess(outcome)


@pytest.mark.conformance("Z02")
@pytest.mark.parametrize(
    ("group", "member", "expected"),
    [
        (False, True, PRIVATE),
        (True, True, PUBLIC),
        (True, False, PUBLIC),
        (False, False, ORGANISATION),
    ],
)
def test_the_default_visibility(group: bool, member: bool, expected: Visibility) -> None:
    assert default_visibility(group=group, member=member) is expected
    assert effective_visibility(None, group=group, member=member, person=False) is expected


@pytest.mark.conformance("Z02")
def test_public_means_the_group() -> None:
    assert effective_visibility("public", group=True, member=True, person=True) is PUBLIC
    with pytest.raises(MemoryRequestError, match="means those who read a group"):
        effective_visibility("public", group=False, member=True, person=True)
    with pytest.raises(MemoryRequestError, match="Visibility group needs a group"):
        effective_visibility("group", group=False, member=True, person=True)


@pytest.mark.conformance("Z02")
def test_organisation_may_be_spelt_with_a_z() -> None:
    assert effective_visibility("organization", group=False, member=True, person=True) is (
        ORGANISATION
    )


def test_a_robot_alone_keeps_private_things_to_itself_and_a_person_has_no_internal_notes() -> None:
    kept = effective_visibility("private", group=False, member=False, person=False)
    assert kept is Visibility.INTERNAL
    with pytest.raises(MemoryRequestError, match="choose private"):
        effective_visibility("internal", group=False, member=True, person=True)
    with pytest.raises(MemoryRequestError, match="Unknown visibility"):
        effective_visibility("everyone", group=False, member=True, person=True)


@pytest.mark.conformance("A02")
@pytest.mark.parametrize(
    ("visibility", "group", "member", "listeners", "kind"),
    [
        ("group", True, False, False, "group"),
        ("group", True, True, False, "user"),
        ("protected", True, True, False, "user"),
        ("protected", True, True, True, "interaction"),
        ("private", False, True, False, "direct"),
        ("protected", False, True, False, "direct"),
        ("organisation", False, False, False, "organisation"),
        ("organisation", False, True, False, "direct"),
        ("shared", False, False, False, "organisation"),
        ("internal", True, True, False, "internal"),
        ("internal", False, False, False, "internal"),
    ],
)
def test_the_kind_follows_from_the_place(
    visibility: str, group: bool, member: bool, listeners: bool, kind: str
) -> None:
    assert derive_kind(KindInputs(Visibility(visibility), group, member, listeners)) == kind


@pytest.mark.conformance("A02")
@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        # (no group, no member), (no group, member), (group, no member), (group, member)
        ("group", (False, False, True, False)),
        ("user", (False, False, False, True)),
        ("interaction", (False, False, False, True)),
        ("direct", (True, True, False, False)),
        ("organisation", (True, True, True, True)),
        ("internal", (True, True, True, True)),
    ],
)
def test_a_kind_is_refused_where_it_cannot_be(kind: str, fits: tuple[bool, ...]) -> None:
    places = ((False, False), (False, True), (True, False), (True, True))
    for (group, member), allowed in zip(places, fits, strict=True):
        if allowed:
            check_kind(kind, group=group, member=member)
        else:
            with pytest.raises(MemoryRequestError):
                check_kind(kind, group=group, member=member)
