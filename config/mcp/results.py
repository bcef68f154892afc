"""What a tool answers: the REST answer in few words, within a budget of tokens. Pure but for the
tokenizer."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from memories.embedding.tokens.token_count import count_tokens, truncate_to_tokens

JSON = dict[str, Any]
DEFAULT_TOKENS, MIN_TOKENS, MAX_TOKENS = 2_000, 200, 200_000
# Of what stands around the items. Not counted, because the id of a recall is new in each answer and
# equal questions should be answered alike.
_FRAME_TOKENS = 80
_SHORTEST_TEXT_TOKENS = 8

WAITS_FOR = {
    "pending_review": "It waits for a person's decision: it names something personal, or you may "
    "only propose to these readers. Until then no search finds it. Do not send it again.",
    "quarantined": "It waits for a person's decision: it reads like an instruction to an AI. No "
    "robot is shown it until then. Do not send it again.",
}


def to_text(value: Any) -> str:
    """JSON in few characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fit_items(name: str, items: Iterable[JSON], long: str, most: int, **more: Any) -> JSON:
    """{name: items, left_out, **more}: the first items, at most `most` tokens of JSON together.

    long: the field that is cut, with `cut` beside it, if the first item alone is too large.
    """
    room = most - _FRAME_TOKENS
    fitted: list[JSON] = []
    rest = list(items)
    while rest:
        item = rest[0]
        size = _count_bounded(to_text(item), room)
        if size > room and not fitted:
            item = cut_text(item, long, room)
            size = count_tokens(to_text(item))
        if size > room:
            break
        room -= size + 1
        fitted.append(item)
        del rest[0]
    return {name: fitted, "left_out": len(rest), **more}


def cut_text(item: JSON, long: str, room: int) -> JSON:
    """The item with the text of this field cut, so that its JSON has at most `room` tokens if the
    other fields leave room."""
    text = str(item.get(long, ""))
    bare = {**item, long: "", "cut": True}
    share = room - count_tokens(to_text(bare))
    while share >= _SHORTEST_TEXT_TOKENS:
        found = {**bare, long: truncate_to_tokens(text, share)[0]}
        over = count_tokens(to_text(found)) - room
        if over <= 0:
            return found
        # Line breaks and quotation marks have tokens in JSON alone.
        share -= max(over, share // 4)
    return bare


def _count_bounded(text: str, room: int) -> int:
    """The tokens of a text, or only that they are more than `room`."""
    if len(text) > 64 * max(room, 1):
        return room + 1
    return count_tokens(text)


def _named(value: Mapping[str, Any] | None) -> str:
    return str(value["name"]) if value else ""


def _filled(values: JSON) -> JSON:
    """Without what is empty: nobody reads it, and it would take tokens."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and value not in ("", [], {})
    }


def _spoken_by(row: Mapping[str, Any]) -> str:
    """Who said it: a member plain; any other name in quotation marks, as in a context."""
    name = str(row.get("speaker") or "")
    return f"“{name}”" if name and not row.get("speaker_member") else name


def memory_item(row: Mapping[str, Any]) -> JSON:
    """A memory, as REST gives it, in the fields that an agent needs."""
    return {"id": row["id"], "content": row["content"]} | _filled({
        "when": row.get("occurred_at") or row.get("created_at"),
        "speaker": _spoken_by(row),
        "about": _named(row.get("member")),
        "by": _named(row.get("robot")) or _named(row.get("author")),
        "group": _named(row.get("group")),
        "readers": (row.get("audience") or {}).get("label"),
        "tags": row.get("tags"),
        "state": row.get("state"),
        "valid_until": row.get("valid_until"),
        "superseded_by": row.get("superseded_by"),
        "score": row.get("score"),
        "status": row.get("status") if row.get("status") != "active" else "",
    })  # fmt: skip


def render_search(data: JSON, most: int) -> JSON:
    """The answer to a recall."""
    return fit_items(
        "memories",
        map(memory_item, data["results"]),
        "content",
        most,
        answered=data["answered"],
        recall_id=data["recall_id"],
    )


def render_list(data: JSON, most: int) -> JSON:
    """A page of memories; `cursor` leads to the next one."""
    items = map(memory_item, data["results"])
    return _with_cursor(fit_items("memories", items, "content", most), data)


def render_memory(data: JSON, most: int) -> JSON:
    """One memory, cut if it is longer than the budget."""
    item = memory_item(data)
    if _count_bounded(to_text(item), most) > most:
        item = cut_text(item, "content", most)
    return item


def render_context(data: JSON, most: int) -> JSON:
    """The text for a prompt, which REST has fitted into the budget."""
    named = [
        {"number": one["number"], "type": one["type"], "id": one["id"]} for one in data["citations"]
    ]
    told = {name: data[name] for name in ("text", "tokens", "recall_id", "answered")}
    return _filled(told) | {"text": data["text"], "citations": named}


def render_experts(data: JSON, most: int) -> JSON:
    """Who knows about a topic, the best first, each with the memory that shows it best."""
    people = (
        {"name": one["name"], "weight": one["weight"]}
        | _filled(
            {
                "id": (one["member"] or {}).get("id"),
                "evidence": one["evidence"][0]["content"] if one["evidence"] else "",
                "memory": one["evidence"][0]["id"] if one["evidence"] else "",
            }
        )
        for one in data["results"]
    )
    return fit_items("people", people, "evidence", most)


def render_timeline(data: JSON, most: int) -> JSON:
    """Who said it and when, the newest first, so that a small budget holds the latest."""
    said = (
        {"memory": one["memory"], "content": one["content"], "when": one["timestamp"]}
        | _filled({"speaker": _spoken_by(one), "robot": _named(one["robot"])})
        for one in reversed(data["results"])
    )
    return fit_items("said", said, "content", most)


def render_blocks(data: JSON, most: int) -> JSON:
    """Blocks with their text and what belongs there."""
    names = ("id", "label", "text", "version", "limit", "belongs", "never", "write_when")
    blocks = (
        {"text": ""} | _filled({name: one[name] for name in names}) for one in data["results"]
    )
    return fit_items("blocks", blocks, "text", most)


def render_tasks(data: JSON, most: int) -> JSON:
    """Tasks, the most urgent first; `cursor` leads to the next page."""
    tasks = (
        {"id": one["id"], "title": one["title"], "memory": one["memory"]}
        | _filled(
            {
                "assignee": _named(one["assignee"]),
                "due_at": one["due_at"],
                "priority": one["priority"],
                "done_at": one["done_at"],
            }
        )
        for one in data["results"]
    )
    return _with_cursor(fit_items("tasks", tasks, "title", most), data)


def render_written(data: JSON, _most: int) -> JSON:
    """What became of a text that was to be remembered: active, known or waits."""
    status = data["status"]
    if status in WAITS_FOR:
        outcome, what = "waits", WAITS_FOR[status]
    elif data["deduplicated"]:
        outcome, what = "known", "It was known already; nothing was stored twice."
    else:
        outcome, what = "active", "It is stored and can be found."
    if data.get("replaced"):
        what = "The memory of this key has the new text."
    more = {name: data.get(name) for name in ("superseded", "proposals")}
    readers = (data.get("audience") or {}).get("label")
    return {"id": data["id"], "outcome": outcome, "message": what} | _filled(
        {"readers": readers, **more}
    )


def render_changed(data: JSON, _most: int) -> JSON:
    """What became of a change of a memory."""
    if "proposal" in data:
        what = "The change is proposed and waits for a person's decision. The memory is as it was."
        return {"id": data["id"], "outcome": "waits", "message": what, "proposal": data["proposal"]}
    return {"id": data["id"], "outcome": "active", "message": "The memory is changed."}


def render_forgotten(_data: JSON, _most: int) -> JSON:
    """A memory was forgotten."""
    return {
        "outcome": "forgotten",
        "message": "No answer uses it any more; it can be restored.",
    }


def render_block(data: JSON, _most: int) -> JSON:
    """What became of a new text of a block."""
    held = [one["id"] for one in data["held"]]
    told = {"id": data["id"], "version": data["version"]}
    if not held:
        return {**told, "outcome": "active", "message": "The block has the new text."}
    what = "The new lines in `held` wait for a person's decision; the others are in the block."
    return {**told, "outcome": "waits", "message": what, "held": held}


def page_address(origin: str, memory_id: str) -> str:
    """Where people see a memory."""
    return f"{origin}/memories/{memory_id}/"


def render_found(origin: str) -> Callable[[JSON, int], JSON]:
    """For `search`: results with a title and an address, as hosts with two tools expect them."""

    def render(data: JSON, most: int) -> JSON:
        results = (
            {
                "id": one["id"],
                "title": truncate_to_tokens(one["content"], 40)[0],
                "url": page_address(origin, one["id"]),
            }
            for one in data["results"]
        )
        return fit_items("results", results, "title", most)

    return render


def render_fetched(origin: str) -> Callable[[JSON, int], JSON]:
    """For `fetch`: one document, as hosts with two tools expect it."""

    def render(data: JSON, most: int) -> JSON:
        item = memory_item(data)
        text = item.pop("content")
        title = truncate_to_tokens(text, 40)[0]
        told = {"id": item.pop("id"), "title": title, "text": text}
        told |= {"url": page_address(origin, data["id"]), "metadata": item}
        if _count_bounded(to_text(told), most) > most:
            told = cut_text(told, "text", most)
        return told

    return render


def _with_cursor(found: JSON, data: JSON) -> JSON:
    """With the cursor of the next page. None if something was left out, which it would skip."""
    if not data.get("next") or found["left_out"]:
        return found
    return {**found, "cursor": parse_qs(urlsplit(data["next"]).query)["cursor"][0]}
