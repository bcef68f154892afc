"""The ways by which somebody changes what others read already: each takes a browser of the asker
and a published memory, and returns the status."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from memories.curation.decision_records.models import Dissent
from memories.curation.edit_memory import edit_memory
from memories.knowledge_graph.models import Task
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.page_client import make_signed_in_client
from tests.world import NOW, Tenant

ORDER = "The canteen closes at four."
FIELDS: dict[str, Any] = {
    "content": ORDER,
    "category": "preference",
    "importance": 1.0,
    "tags": ["orders"],
    "metadata": {"say": "four"},
    "expires_at": "2030-01-01T00:00:00Z",
}
Door = Callable[[Tenant, str, UUID], int]


def _api(here: Tenant, who: str, method: str, url: str, body: Any) -> int:
    answer = getattr(here.browser(who), method)(f"/api/v1/{url}", body, format="json")
    assert answer.status_code != 400, answer.content
    return int(answer.status_code)


def patch(field: str) -> Door:
    def door(here: Tenant, who: str, id_: UUID) -> int:
        return _api(here, who, "patch", f"memories/{id_}", {field: FIELDS[field]})

    return door


def all_fields(here: Tenant, who: str, id_: UUID) -> int:
    return _api(here, who, "patch", f"memories/{id_}", FIELDS)


def edit_page(here: Tenant, who: str, id_: UUID) -> int:
    form = {"content": ORDER, "category": "preference", "importance": "0.8"}
    page = make_signed_in_client(here, who)
    return page.post(
        f"/memories/{id_}/edit/", {**form, "version": _row(here, id_).version}
    ).status_code


def bulk_page(here: Tenant, who: str, id_: UUID) -> int:
    form = {"selected": [str(id_)], "importance": "0.8", "category": "preference", "confirm": "1"}
    return make_signed_in_client(here, who).post("/memories/change/?action=set", form).status_code


def older_version(here: Tenant, who: str, id_: UUID) -> int:
    version = _row(here, id_).version
    url = f"/memories/{id_}/versions/{version - 1}/restore/?seen={version}"
    return make_signed_in_client(here, who).post(url).status_code


def snapshot(here: Tenant, who: str, id_: UUID) -> int:
    browser = here.browser(who)
    url = "/api/v1/snapshots"
    body = browser.get(url).json()["snapshot"]
    lines = [one for one in body["memories"] if one["id"] == str(id_)]
    lines = [one | {"content": ORDER, "importance": 1.0, "tier": "fast"} for one in lines]
    given = {"snapshot": body | {"memories": lines}, "mode": "replace"}
    answer = browser.post(url, given, format="json")
    if answer.status_code != 200 or not lines:
        return int(answer.status_code) if lines else 404
    result = answer.json()["results"][0]["result"]
    return {"waiting": 202, "replaced": 200, "refused": 403}[result]


def facts(here: Tenant, who: str, id_: UUID) -> int:
    given = {"propositions": ["The canteen on the third floor closes at four every day."]}
    return _api(here, who, "post", f"memories/{id_}/propositions", given)


def facts_by_rules(here: Tenant, who: str, id_: UUID) -> int:
    return _api(here, who, "post", f"memories/{id_}/propositions", {})


def facts_page(here: Tenant, who: str, id_: UUID) -> int:
    return make_signed_in_client(here, who).post(f"/memories/{id_}/split/").status_code


def entity(here: Tenant, who: str, id_: UUID) -> int:
    given = {"memory": str(id_), "type": "action_item", "name": "Tell everybody: four"}
    return _api(here, who, "post", "entities", given)


def red_line(here: Tenant, who: str, id_: UUID) -> int:
    return _api(here, who, "post", f"memories/{id_}/red-line", {"reason": "For ever."})


def red_line_page(here: Tenant, who: str, id_: UUID) -> int:
    return (
        make_signed_in_client(here, who)
        .post(f"/memories/{id_}/protect/", {"reason": "Mine."})
        .status_code
    )


def due_date(here: Tenant, who: str, id_: UUID) -> int:
    with resolve_principal(here.person("ada")).scope():
        one = Task.objects.filter(memory_id=id_).first()
    return _api(here, who, "patch", f"tasks/{one.id}", {"due_at": "2030-01-01T00:00:00Z"})


def answer(here: Tenant, who: str, id_: UUID) -> int:
    with resolve_principal(here.person("ada")).scope():
        one = Dissent.objects.get(memory_id=id_)
    url = f"decisions/{id_}/dissents/{one.id}"
    return _api(here, who, "patch", url, {"rebuttal": "Four it is."})


def prepare(here: Tenant, door: str, id_: UUID) -> None:
    """What has to be there before a door is tried: a text that a curator has replaced."""
    if door == "older version":
        edit_memory(here.person("ada"), id_, {"content": "It closes at three."}, now=NOW)


def _row(here: Tenant, id_: UUID) -> Memory:
    with resolve_principal(here.person("ada")).scope():
        return Memory.objects.get(id=id_)


EVERYWHERE: dict[str, Door] = {
    **{f"patch {field}": patch(field) for field in FIELDS},
    "patch all": all_fields,
    "edit page": edit_page,
    "bulk page": bulk_page,
    "older version": older_version,
    "snapshot": snapshot,
    "entity": entity,
}
# What exists for some kinds alone.
SOME: dict[tuple[str, str], Door] = {
    ("task", "due date"): due_date,
    ("decision", "answer"): answer,
    ("memory", "facts"): facts,
    ("memory", "facts by rules"): facts_by_rules,
    ("memory", "facts page"): facts_page,
    ("memory", "red line"): red_line,
    ("decision", "red line page"): red_line_page,
    ("block", "red line"): red_line,
}
