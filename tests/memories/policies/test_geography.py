"""There is one list of places."""

from memories.policies import entities, geography, names, persons
from memories.policies.persons import place_in


def test_one_list_serves_both() -> None:
    assert persons.PLACES is entities.PLACES is geography.PLACES
    assert not hasattr(names, "PLACES")
    for place in ("Heidelberg", "Detroit", "Bogotá", "Kazakhstan"):
        text = f"We met in {place} once"
        assert place_in(text) == place
        named = {one.key: one.type for one in entities.named(text)}
        assert named[place.casefold()] == "location"
