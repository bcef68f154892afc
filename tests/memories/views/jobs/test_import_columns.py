"""A table with unusual headings: what each column is, is chosen before anything is written."""

import html
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from memories.browsing import job_pages
from memories.ingestion.file_import import plan_import
from memories.jobs import run_jobs
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.ingestion.file_import.formats.exports import packed
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("N15", "W12")
TABLE = (
    "Nachricht;Wer;Raum;date;Lohn\n"
    "Der Stand ist gut.;Noor;launch-team;2024-01-01 10:00;100\n"
    "Das <b>Ziel</b> ist März.;Tom;launch-team;2024-01-01 11:00;200\n"
    ";Tom;launch-team;2024-01-01 12:00;300\n"
)


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    return tmp_path


def upload(here: Tenant, content: str | bytes = TABLE, **more: str) -> Any:
    body = content.encode() if isinstance(content, str) else content
    sent = {"file": SimpleUploadedFile("chat.csv", body), "speakers": "organisation"}
    sent |= {"readers": "private", **more}
    return make_signed_in_client(here, "ada").post("/import/", sent)


def page_of(here: Tenant, address: str, name: str = "ada") -> str:
    answer = make_signed_in_client(here, name).get(address)
    assert answer.status_code == 200
    return response_text(answer)


def words_of(page: str) -> str:
    text = re.sub(r"<[^>]+>", " ", page.partition("<main")[2])
    return html.unescape(" ".join(text.split())).replace(" :", ":")


def chosen(page: str) -> dict[str, str]:
    """What each choice of the page says."""
    found = {}
    for name, options in re.findall(r'<select name="(column_\d+)"(.*?)</select>', page, re.DOTALL):
        picked = re.search(r'value="(\w*)" selected', options)
        found[name] = picked[1] if picked else ""
    return found


MAP = {
    "column_0": "text",
    "column_1": "speaker",
    "column_2": "group",
    "column_3": "timestamp",
    "column_4": "",
    "time_zone": "Europe/Berlin",
}


def test_columns_are_shown_chosen_planned_and_imported(world: World, data_dir: Path) -> None:
    here = world.here
    sent = upload(here, readers="organisation")
    assert sent.status_code == 302
    assert re.fullmatch(
        r"/import/[0-9a-f-]{36}/columns/\?speakers=organisation&readers=organisation",
        sent["Location"],
    )
    page = page_of(here, sent["Location"])
    words = words_of(page)
    assert "The table has 5 columns." in words
    assert "Nachricht Der Stand ist gut. · Das <b>Ziel</b> ist März." in words
    assert "Wer Noor · Tom · Tom" in words
    assert "<b>Ziel" not in page
    assert chosen(page) == {
        **dict.fromkeys(("column_0", "column_1", "column_2", "column_4"), ""),
        "column_3": "timestamp",
    }
    client = make_signed_in_client(here, "ada")
    done = client.post(sent["Location"], MAP)
    assert done.status_code == 302, response_text(done)
    assert done["Location"].endswith("?speakers=organisation&readers=organisation")
    plan = page_of(here, done["Location"])
    words = words_of(plan)
    for part in (
        "Read as CSV",
        "launch-team",
        "2 people whom the file makes: Noor, Tom",
        "Das <b>Ziel</b> ist März. “ Tom ” ·",
        "row 4: no text",
    ):
        assert part in words
    assert "100" not in words, "a column that is left out"
    # What was chosen is there again.
    back = re.search(r'href="(/import/[^"]+/columns/[^"]+)"', plan)
    assert back
    page = page_of(here, html.unescape(back[1]))
    assert chosen(page) == {key: value for key, value in MAP.items() if key != "time_zone"}
    assert 'value="Europe/Berlin"' in page
    begun = client.post(done["Location"].partition("?")[0], {"sit": "no"})
    job_id = UUID(begun["Location"].strip("/").split("/")[-1])
    assert list((data_dir / "previews").iterdir()) == []
    run_jobs.run_job(here.id, job_id, here.members["ada"].id)
    job = job_pages.get_job(here.person("ada"), job_id)
    assert (job.result["imported"], job.result["skipped"]) == (2, 1)
    assert job.parameters["format"] == "csv"
    with resolve_principal(here.person("ada")).scope():
        assert not Memory.objects.filter(content__contains="100").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"column_0": ""}, "Choose which column is the text."),
        ({"column_1": "text"}, "More than one column is chosen as “Text”."),
        ({"column_4": "mood"}, "Select a valid choice"),
        ({"time_zone": ""}, "name no time zone"),
        ({"time_zone": "Mars"}, "This time zone is unknown."),
        ({"column_0": "tags", "column_4": "text", "column_3": "importance"}, "none holds a text"),
    ],
)
def test_a_refused_choice_loses_nothing(world: World, more: dict[str, str], words: str) -> None:
    here = world.here
    address = upload(here)["Location"]
    client = make_signed_in_client(here, "ada")
    answer = client.post(address, MAP | more)
    assert answer.status_code == 422
    page = response_text(answer)
    assert words in words_of(page)
    kept = {key: value for key, value in (MAP | more).items() if key != "time_zone"}
    assert {key: value for key, value in chosen(page).items() if value} == {
        key: value for key, value in kept.items() if value not in ("", "mood")
    }
    if more.get("time_zone") != "":
        assert f'value="{(MAP | more)["time_zone"]}"' in page
    # The file is still there, with what was chosen with it.
    done = client.post(address, MAP)
    assert done.status_code == 302
    assert "speakers=organisation" in done["Location"]


def test_headings_that_are_doubled_empty_or_long_are_told_apart_by_place(world: World) -> None:
    here = world.here
    long = "x" * 10_000
    address = upload(here, f"Note,,Note,{long}\none,two,three,four\n")["Location"]
    page = page_of(here, address)
    assert "Column 2" in words_of(page)
    assert long not in page
    plan = make_signed_in_client(here, "ada").post(
        address, {"column_0": "", "column_1": "", "column_2": "text", "column_3": ""}
    )["Location"]
    assert "three you ·" not in words_of(page_of(here, plan))
    assert "How it begins three" in words_of(page_of(here, plan))


def test_a_table_in_a_zip_and_one_of_a_single_column(world: World) -> None:
    for body, more in (
        (packed({"table.csv": b"what,who\na,b\n"}), {}),
        (b"what\nHi\n", {"format": "csv"}),
    ):
        address = upload(world.here, body, **more)["Location"]
        assert "/columns/" in address
        assert "what" in words_of(page_of(world.here, address))


def test_a_table_belongs_to_who_uploaded_it_for_an_hour(world: World, data_dir: Path) -> None:
    here = world.here
    address = upload(here)["Location"]
    for place, name in ((here, "chidi"), (here, "mina"), (world.there, "ada")):
        client = make_signed_in_client(place, name)
        assert client.get(address).status_code in {403, 404}, name
        assert client.post(address, MAP).status_code in {403, 404}, name
    # A newer file takes its place.
    newer = upload(here, "what,who\na,b\n")["Location"]
    assert make_signed_in_client(here, "ada").get(address).status_code == 404
    assert len(list((data_dir / "previews").iterdir())) == 2
    plan_import.sweep_previews(now=timezone.now() + timedelta(hours=2))
    assert make_signed_in_client(here, "ada").get(newer).status_code == 404
    assert make_signed_in_client(here, "ada").post(newer, MAP).status_code == 404


def test_too_many_columns_are_refused_with_the_file(world: World) -> None:
    many = ",".join(f"c{n}" for n in range(10_000))
    answer = upload(world.here, f"{many}\n{many}\n")
    assert answer.status_code == 422
    assert "more than 500 columns" in response_text(answer)
