"""presidio beside the light detector: skipped where the extra is not installed."""

import pytest

from memories.safety import presidio
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text

NOBODY = KnownNames()


@pytest.mark.slow
@pytest.mark.presidio
@pytest.mark.skipif(not presidio.is_installed(), reason="the extra `presidio` is not installed")
@pytest.mark.filterwarnings("ignore")
class TestInstalled:
    def test_it_finds_what_no_list_holds_and_is_never_sure_of_it(self) -> None:
        text = "\u200bThe folder was left behind by Xalakrunah on the train to Paris."
        assert find_personal_data(to_plain_text(text), NOBODY) == []
        [one] = presidio.find_personal_data(to_plain_text(text), NOBODY)
        assert (text[one.start : one.end], one.sure) == ("Xalakrunah", False)

    def test_what_the_rules_find_stays(self) -> None:
        text = to_plain_text("Mr Brown wrote to ann@example.org from 12 Oak Street.")
        told = {(one.kind, one.start) for one in presidio.find_personal_data(text, NOBODY)}
        assert told >= {(one.kind, one.start) for one in find_personal_data(text, NOBODY)}

    def test_a_long_text_is_read_in_pieces(self) -> None:
        text = "The map shows visits by week. " * 1_500 + "Angela Merkel called London."
        told = presidio.find_personal_data(to_plain_text(text), NOBODY)
        assert "Angela Merkel" in {text[one.start : one.end] for one in told}

    def test_a_lesson_passes(self) -> None:
        text = "QSR real estate users check cannibalisation after site selection"
        assert presidio.find_personal_data(to_plain_text(text), NOBODY) == []


@pytest.mark.skipif(presidio.is_installed(), reason="the extra `presidio` is installed")
def test_without_the_extra_it_says_so() -> None:
    with pytest.raises(ModuleNotFoundError, match="presidio"):
        presidio.find_personal_data(to_plain_text("Anna"), NOBODY)
