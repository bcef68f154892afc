"""The calls of one kind of thing each: memories, blocks, decisions, tasks, jobs, robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from commonmind.calls import (
    Call,
    Mode,
    Resource,
    each_row,
    get,
    one_call,
    row_flow,
    segment,
    write,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from commonmind import schema as s
    from commonmind.calls import Flow


class Memories(Resource[Mode]):
    """Single memories, and lists of them."""

    @row_flow
    def list(
        self, *, page_size: int | None = None, **filters: Unpack[s.MemoryFilters]
    ) -> Flow[s.Memory]:
        """The memories that match, newest first."""
        return each_row("memories", page_size, **filters)

    @one_call
    def get(self, memory: str) -> Call[s.Memory]:
        """One memory, with the state of its embedding and its restatement."""
        return get(f"memories/{segment(memory)}")

    @one_call
    def change(
        self, memory: str, *, if_match: str | None = None, **changes: Unpack[s.MemoryChanges]
    ) -> Call[s.Memory | s.ChangeWaits]:
        """Change fields of a memory; what is left out stays. A change that somebody has to agree to
        has `status` `pending_review`."""
        return write("PATCH", f"memories/{segment(memory)}", changes, if_match=if_match)

    @one_call
    def forget(
        self, memory: str, *, if_match: str | None = None, **fields: Unpack[s.ForgetFields]
    ) -> Call[s.Erased | None]:
        """Forget a memory; with `hard` and `confirm` (its id) it is erased for good."""
        call = write("DELETE", f"memories/{segment(memory)}", if_match=if_match)
        return Call(call.method, call.path, fields, headers=call.headers)

    @one_call
    def preview_matches(
        self,
        action: Literal["forget", "set"],
        filters: s.BulkFiltersRequest,
        **changes: Unpack[s.MatchChanges],
    ) -> Call[s.BulkPreview]:
        """What `change_matches` would do now; nothing is changed."""
        body = {"action": action, "filters": filters, **changes, "dry_run": True}
        return write("POST", "memories/bulk", body)

    @one_call
    def change_matches(
        self,
        action: Literal["forget", "set"],
        filters: s.BulkFiltersRequest,
        **changes: Unpack[s.MatchChanges],
    ) -> Call[s.Job]:
        """Forget all memories that match the filters, or set fields of them, by a job."""
        body = {"action": action, "filters": filters, **changes}
        return write("POST", "memories/bulk", body)

    @row_flow
    def history(self, memory: str, *, page_size: int | None = None) -> Flow[s.Version]:
        """Its versions, newest first."""
        return each_row(f"memories/{segment(memory)}/history", page_size)


class Blocks(Resource[Mode]):
    """Texts that a robot always has with it."""

    @one_call
    def list(self, *, member: str | None = None) -> Call[s.BlockList]:
        """The blocks that are read; `member` says for whom a robot asks."""
        return get("blocks", member=member)

    @one_call
    def get(self, block: str, *, member: str | None = None) -> Call[s.Block]:
        """One block, with its entries and `version`."""
        return get(f"blocks/{segment(block)}", member=member)

    @one_call
    def write(
        self,
        block: str,
        text: str,
        *,
        version: int,
        if_match: str | None = None,
        **fields: Unpack[s.BlockTextFields],
    ) -> Call[s.BlockWritten]:
        """Write the whole text. version: that of the block that was read."""
        body = {"text": text, "version": version, **fields}
        return write("PUT", f"blocks/{segment(block)}", body, if_match=if_match)

    @one_call
    def add(
        self, block: str, text: str, **fields: Unpack[s.BlockEntryFields]
    ) -> Call[s.BlockEntryWritten]:
        """Add an entry."""
        return write("POST", f"blocks/{segment(block)}/entries", {"text": text, **fields})


class Decisions(Resource[Mode]):
    """What was decided, by whom, and who disagreed."""

    @row_flow
    def list(
        self, *, page_size: int | None = None, **filters: Unpack[s.DecisionFilters]
    ) -> Flow[s.Decision]:
        """The decisions that match, newest first."""
        return each_row("decisions", page_size, **filters)

    @one_call
    def get(
        self, decision: str, *, group: str | None = None, member: str | None = None
    ) -> Call[s.ChainedDecision]:
        """One decision, with those that it replaced."""
        return get(f"decisions/{segment(decision)}", group=group, member=member)

    @one_call
    def record(self, conclusion: str, **fields: Unpack[s.DecisionFields]) -> Call[s.Recorded]:
        """Record a decision."""
        return write("POST", "decisions", {"conclusion": conclusion, **fields})


class Tasks(Resource[Mode]):
    """What somebody is to do."""

    @row_flow
    def list(
        self, *, page_size: int | None = None, **filters: Unpack[s.TaskFilters]
    ) -> Flow[s.Task]:
        """The tasks that match."""
        return each_row("tasks", page_size, **filters)

    @one_call
    def get(
        self, task: str, *, group: str | None = None, member: str | None = None
    ) -> Call[s.Task]:
        """One task."""
        return get(f"tasks/{segment(task)}", group=group, member=member)

    @one_call
    def add(self, content: str, **fields: Unpack[s.TaskFields]) -> Call[s.AddedTask]:
        """Add a task; who is to do it and until when is else looked for in the text."""
        return write("POST", "tasks", {"content": content, **fields})

    @one_call
    def change(
        self, task: str, *, if_match: str | None = None, **changes: Unpack[s.TaskChanges]
    ) -> Call[s.Task | s.ChangeWaits]:
        """Change a task, for example `done=True`."""
        return write("PATCH", f"tasks/{segment(task)}", changes, if_match=if_match)


class Jobs(Resource[Mode]):
    """Longer work on the server, of the caller."""

    @row_flow
    def list(self, *, page_size: int | None = None, **filters: Unpack[s.JobFilters]) -> Flow[s.Job]:
        """The caller's jobs, newest first."""
        return each_row("jobs", page_size, **filters)

    @one_call
    def get(self, job: str, *, wait: int | None = None) -> Call[s.Job]:
        """One job: `state`, `done` of `total`, `counts`. wait: for its end, at most so many
        seconds (30)."""
        headers = {} if wait is None else {"Prefer": f"wait={wait}"}
        return Call("GET", f"jobs/{segment(job)}", headers=headers, changes=False)

    @one_call
    def cancel(self, job: str) -> Call[s.Job]:
        """Stop a job, at its next step if it runs; what is done stays."""
        return write("POST", f"jobs/{segment(job)}/cancel")

    @one_call
    def resume(self, job: str) -> Call[s.Job]:
        """Go on with a cancelled job where it stopped."""
        return write("POST", f"jobs/{segment(job)}/resume")

    @one_call
    def retry(self, job: str) -> Call[s.Job]:
        """Try a job that stopped for good again."""
        return write("POST", f"jobs/{segment(job)}/retry")

    @one_call
    def undo(self, job: str) -> Call[s.Job]:
        """Take a finished change of many memories back; `first_problems` says what stayed."""
        return write("POST", f"jobs/{segment(job)}/undo")

    @one_call
    def drop(self, job: str) -> Call[None]:
        """Drop a job that stopped for good; what it did stays."""
        return write("DELETE", f"jobs/{segment(job)}")


class Robots(Resource[Mode]):
    """The robots of the organisation and their keys."""

    @row_flow
    def list(self, *, page_size: int | None = None) -> Flow[s.Robot]:
        """The robots, newest first."""
        return each_row("robots", page_size)

    @one_call
    def get(self, robot: str) -> Call[s.Robot]:
        """One robot, by its id."""
        return get(f"robots/{segment(robot)}")

    @one_call
    def register(self, name: str, **fields: Unpack[s.RobotFields]) -> Call[s.Robot]:
        """Register a robot (scope `manage`)."""
        return write("POST", "robots", {"name": name, **fields})

    @row_flow
    def keys(self, robot: str, *, page_size: int | None = None) -> Flow[s.Key]:
        """The keys of a robot, without their texts (scope `manage`)."""
        return each_row(f"robots/{segment(robot)}/keys", page_size)

    @one_call
    def create_key(self, robot: str, label: str, **fields: Unpack[s.KeyFields]) -> Call[s.NewKey]:
        """Make a key; this answer alone has its text."""
        return write("POST", f"robots/{segment(robot)}/keys", {"label": label, **fields})

    @one_call
    def renew_key(self, robot: str, key: str, **fields: Unpack[s.KeyRenewFields]) -> Call[s.NewKey]:
        """A key in the place of an older one, which ends after `hours` (24 or 0)."""
        return write("POST", f"robots/{segment(robot)}/keys/{segment(key)}/renew", dict(fields))

    @one_call
    def limit_key(self, robot: str, key: str, **fields: Unpack[s.KeyLimits]) -> Call[s.Key]:
        """Limit a key to `groups` and `networks`; None takes a limit away."""
        return write("PATCH", f"robots/{segment(robot)}/keys/{segment(key)}", dict(fields))

    @one_call
    def revoke_key(self, robot: str, key: str) -> Call[None]:
        """End a key."""
        return write("DELETE", f"robots/{segment(robot)}/keys/{segment(key)}")
