"""There is one list of places."""

from memories.language import entities, mentions
from memories.language.gazetteers import first_names, places
from memories.language.mentions import find_location


def test_one_list_serves_both() -> None:
    assert mentions.PLACES is entities.PLACES is places.PLACES
    assert not hasattr(first_names, "PLACES")
    for place in ("Heidelberg", "Detroit", "Bogotá", "Kazakhstan"):
        text = f"We met in {place} once"
        assert find_location(text) == place
        named = {one.key: one.type for one in entities.extract_entities(text)}
        assert named[place.casefold()] == "location"
