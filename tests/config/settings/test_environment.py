"""Settings from files: NAME_FILE in the place of NAME."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.settings.environment import env


def test_a_file_holds_the_value_without_its_line_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    file.write_text(" a value \r\n\n")
    monkeypatch.setenv("SOME_SECRET_FILE", str(file))
    assert env.str("SOME_SECRET") == " a value "
    monkeypatch.setenv("SOME_SECRET", "another")
    assert env.str("SOME_SECRET") == " a value ", "the file goes first"
    monkeypatch.setenv("SOME_SECRET_FILE", "")
    assert env.str("SOME_SECRET") == "another"


def test_other_kinds_of_values_come_from_files_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "value"
    monkeypatch.setenv("SOME_VALUE_FILE", str(file))
    file.write_text("12\n")
    assert env.int("SOME_VALUE") == 12
    file.write_text("true\n")
    assert env.bool("SOME_VALUE") is True
    file.write_text("one,two\n")
    assert env.list("SOME_VALUE") == ["one", "two"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("SOME_SECRET_FILE", str(file))
    with pytest.raises(ImproperlyConfigured, match=r"^SOME_SECRET_FILE cannot be read: .*\.$"):
        env.str("SOME_SECRET", default="")
