"""Every call of mem0's client 2.2 that the mem0 door answers; run by `test_mem0_client.py` in an
environment with `mem0ai`, which cannot live beside the product's own packages."""

import os
import sys

from mem0 import MemoryClient  # type: ignore[import-not-found]
from mem0.exceptions import (  # type: ignore[import-not-found]
    MemoryNotFoundError,
    ValidationError,
)

client = MemoryClient(api_key=os.environ["COMMONMIND_KEY"], host=os.environ["MEM0_HOST"])
ALICE = {"user_id": "alice"}


def texts() -> list[str]:
    return sorted(one["memory"] for one in client.get_all(filters=ALICE)["results"])


def refused(error: type[Exception], call: object, *args: object, **named: object) -> None:
    try:
        call(*args, **named)  # type: ignore[operator]
    except error:
        return
    raise AssertionError(f"{call} was not refused")


added = client.add("I am a vegetarian and allergic to nuts.", user_id="alice", run_id="s1")
assert added["status"] == "PENDING"
client.add(
    [{"role": "user", "content": "My bicycle is red."}, {"role": "assistant", "content": "Nice."}],
    filters=ALICE,
    metadata={"n": 1},
    infer=False,
)
assert texts() == ["I am a vegetarian and allergic to nuts.", "My bicycle is red.", "Nice."]
page = client.get_all(filters=ALICE, page=2, page_size=2)
assert (page["count"], len(page["results"]), page["next"]) == (3, 1, None)
[hit, *_] = client.search("Which colour has the bicycle?", filters=ALICE, top_k=5)["results"]
assert hit["memory"] == "My bicycle is red."
assert client.search("bicycle", filters={"AND": [ALICE, {"run_id": "s1"}]}, threshold=0.0)
assert client.get(hit["id"])["metadata"] == {"n": 1}
client.update(hit["id"], text="My bicycle is blue.", metadata={"n": 2})
client.update(hit["id"], expiration_date="2999-01-01")
client.update(hit["id"], expiration_date=None)
events = client.history(hit["id"])
assert [one["event"] for one in events][:2] == ["ADD", "UPDATE"]
assert (events[1]["old_memory"], events[1]["new_memory"]) == (
    "My bicycle is red.", "My bicycle is blue.",
)  # fmt: skip
assert client.feedback(hit["id"], feedback="POSITIVE")
schema = '{"properties": {"facts": {"type": "array", "items": {"properties": {"memory": {}}}}}}'
export = client.create_memory_export(schema=schema, filters={"AND": [ALICE, {"run_id": "s1"}]})
assert client.get_memory_export(memory_export_id=export["id"]) == {
    "facts": [{"memory": "I am a vegetarian and allergic to nuts."}]
}
assert len(client.get_memory_export(user_id="alice")["memories"]) == 3
refused(ValidationError, client.create_memory_export, '{"properties": {"mood": {}}}', **ALICE)
refused(MemoryNotFoundError, client.get_memory_export, memory_export_id="x")
users = {(one["type"], one["name"]): one for one in client.users()["results"]}
assert users["user", "alice"]["total_memories"] == 3
ids = [one["id"] for one in client.get_all(filters=ALICE)["results"]]
client.batch_update([{"memory_id": id_, "text": f"Number {n}."} for n, id_ in enumerate(ids)])
assert texts() == ["Number 0.", "Number 1.", "Number 2."]
client.batch_delete([{"memory_id": ids[0]}])
client.delete(ids[1])
refused(MemoryNotFoundError, client.get, ids[1])
refused(MemoryNotFoundError, client.delete, ids[0])
refused(ValidationError, client.delete_all)
refused(ValidationError, client.get_all, filters={"user_id": "alice", "colour": "red"})
refused(Exception, client.get_summary, filters=ALICE)
client.delete_all(user_id="alice")
assert texts() == []
client.add("I drink my coffee without milk.", user_id="alice")
client.delete_users(user_id="alice")
assert texts() == []
refused(ValueError, MemoryClient, api_key="cmk_wrong", host=os.environ["MEM0_HOST"])
sys.stdout.write("all calls answered\n")
