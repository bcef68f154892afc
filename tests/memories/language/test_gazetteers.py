"""There is one list of places."""

from memories.language import entities, persons
from memories.language.gazetteers import first_names, places
from memories.language.persons import place_in


def test_one_list_serves_both() -> None:
    assert persons.PLACES is entities.PLACES is places.PLACES
    assert not hasattr(first_names, "PLACES")
    for place in ("Heidelberg", "Detroit", "Bogotá", "Kazakhstan"):
        text = f"We met in {place} once"
        assert place_in(text) == place
        named = {one.key: one.type for one in entities.named(text)}
        assert named[place.casefold()] == "location"
