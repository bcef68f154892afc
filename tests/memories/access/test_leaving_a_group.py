"""A memory leaves its group in an answer for another one only if it is flagged (A29)."""

from typing import Any

import pytest

from memories.access.permissions import ChangeForbiddenError
from memories.curation.edit_memory import edit_memory
from memories.retrieval.explanation.explain import explain_memory
from memories.retrieval.resolve_filters import Query
from orgs.members.member_settings import set_sharing_opt_out
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("A29")


def said(tenant: Tenant, robot: str, **asked: Any) -> list[str]:
    body = {"query": "Where is the blue folder?", "shareable_with": "launch", **asked}
    answer = tenant.api(robot).post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200, answer.content
    return [hit["content"] for hit in answer.json()["results"]]


@pytest.mark.parametrize("strategy", ["auto", "keyword", "triple_tenant", "multi_level"])
def test_none_until_it_is_flagged(world: World, strategy: str) -> None:
    here, aria = world.here, world.here.robot("aria")
    text = "The blue folder lies in room 4."
    kept = here.remember(aria, text, group="design").id
    here.remember(aria, "The blue folder is mine.", visibility="internal", shareable=True)
    here.remember(aria, "A sensitive blue folder.", group="design", sensitive=True, shareable=True)
    here.remember(here.person("mina"), "My blue folder.", visibility="private", shareable=True)
    assert said(here, "aria", strategy=strategy) == []
    edit_memory(aria, kept, {"shareable": True}, now=NOW)
    assert said(here, "aria", strategy=strategy) == [text]
    asked = Query(text="blue folder", shareable_with="launch", strategy=strategy)
    assert explain_memory(aria, kept, asked, now=NOW).served
    edit_memory(aria, kept, {"shareable": False}, now=NOW)
    assert said(here, "aria", strategy=strategy) == []
    (reason,) = explain_memory(aria, kept, asked, now=NOW).reasons
    assert reason.code == "not-readable-there"


def test_it_opens_nothing_to_who_does_not_read_its_group(world: World) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write"))
    here.remember(here.robot("aria"), "The blue folder lies in room 4.", group="design",
                  shareable=True)  # fmt: skip
    assert said(here, "dora") == [], "dora is not in #design"
    assert said(here, "aria") != []
    assert said(here, "aria", group="launch") == [], "asked there, that group and everyone's"


def test_who_may_flag_and_whom_it_concerns(world: World) -> None:
    here, mina = world.here, world.here.members["mina"]
    about = {"group": "design", "member": str(mina.id), "shareable": True}
    kept = here.remember(here.robot("aria"), "The blue folder is Mina's.", **about).id
    assert said(here, "aria") != []
    set_sharing_opt_out(here.person("mina"), out=True, now=NOW)
    assert said(here, "aria") == []
    with pytest.raises(ChangeForbiddenError):
        edit_memory(here.robot("clio"), kept, {"shareable": True}, now=NOW)
