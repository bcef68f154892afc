"""What support did with an account, in words for its person and for support."""

from typing import Any

from django.utils.translation import gettext

from orgs.models.support import SupportActType


def describe_support_act(kind: str, detail: dict[str, Any]) -> dict[str, str]:
    """did: what was done, to follow a name. proof: how staff made sure, where they had to."""
    match kind:
        case SupportActType.SIGNED_OUT if "browser" in detail:
            did = gettext("ended the sign-in in %(browser)s") % {"browser": detail["browser"]}
        case SupportActType.SIGNED_OUT:
            did = gettext("ended every sign-in")
        case SupportActType.SECOND_STEP_RESET:
            did = gettext("took away the second step and ended every sign-in")
        case SupportActType.CHANGED:
            did = gettext("changed the account: its name, its address, its password or its rights")
        case _:
            did = gettext(
                "looked at the account: where it is signed in, its second step, its organisations"
            )
    return {"did": did, "proof": detail.get("proof", "")}
