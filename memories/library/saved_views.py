"""Views that a member keeps; nobody else sees them."""

from memories.library.models import SavedView
from orgs.principals import Actor, resolve


def keep_view(actor: Actor, *, name: str, query: str) -> SavedView:
    """Keep filters under a name; the same name again replaces them."""
    principal = resolve(actor)
    assert actor.member_id is not None  # noqa: S101 - for the type checker
    with principal.scope():
        view, _ = SavedView.objects.update_or_create(
            organisation_id=principal.organisation_id,
            member_id=actor.member_id,
            name=name,
            defaults={"query": query, "audience_id": principal.own_audience},
        )
    return view


def remove_view(actor: Actor, *, name: str) -> None:
    """Drop one of the asker's own; nothing happens if there is none of the name."""
    assert actor.member_id is not None  # noqa: S101 - for the type checker
    with resolve(actor).scope():
        SavedView.objects.filter(
            organisation_id=actor.organisation_id, member_id=actor.member_id, name=name
        ).delete()
