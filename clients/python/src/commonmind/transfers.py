"""Many memories at once: into the server in portions, and out of it page by page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from commonmind.calls import (
    Call,
    Form,
    Mode,
    Resource,
    Row,
    get,
    next_cursor,
    one_call,
    row_flow,
    segment,
    write,
)
from commonmind.errors import InvalidError, RefusedError, ServerError, TooLargeError
from commonmind.exchange import OUT_OF_TIME, to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from commonmind.calls import Flow
    from commonmind.schema import (
        BatchResult,
        ExportFields,
        HeadRequest,
        ImportFields,
        ImportFolderChanges,
        ImportFolderFields,
        ImportPlan,
        ImportSubscription,
        ImportSubscriptionList,
        Job,
        LineResult,
        Snapshot,
        SnapshotFilters,
        SnapshotLine,
    )

# One call holds at most so many items and so many bytes of JSON; the server takes 1,000 items.
PORTION_ITEMS, PORTION_BYTES = 200, 2 * 1024 * 1024
Numbered = tuple[int, Mapping[str, Any]]
File = str | os.PathLike[str] | bytes | IO[bytes]


class Imports(Resource[Mode]):
    """Into the server, as the robot whose key it is; a file of conversations as they were held."""

    @one_call
    def create(self, file: File, **fields: Unpack[ImportFields]) -> Call[Job]:
        """Import a file of conversations; a job does it. For keys with `manage` and `write`.

        file: a path, the bytes, or a file that is open for reading bytes. Importing the same file
        again adds nothing.
        """
        return write("POST", "imports", _form(file, fields))

    @one_call
    def preview(self, file: File, **fields: Unpack[ImportFields]) -> Call[ImportPlan]:
        """What `create` would bring: groups, people, who would read, what is refused and why.
        Nothing is written."""
        return write("POST", "imports", _form(file, {**fields, "dry_run": True}))

    @one_call
    def folders(self) -> Call[ImportSubscriptionList]:
        """The folders on the server whose new files are imported, by path."""
        return get("imports/subscriptions")

    @one_call
    def add_folder(
        self, folder: str, **fields: Unpack[ImportFolderFields]
    ) -> Call[ImportSubscription]:
        """Have the files of a folder on the server imported now and each period. folder: a path
        below that of the organisation; empty for all of it."""
        return write("POST", "imports/subscriptions", {"folder": folder, **fields})

    @one_call
    def change_folder(
        self, subscription: str, **fields: Unpack[ImportFolderChanges]
    ) -> Call[ImportSubscription]:
        """Pause a folder, or look through it now (`paused=False`), or change its period."""
        return write("PATCH", f"imports/subscriptions/{segment(subscription)}", {**fields})

    @one_call
    def remove_folder(self, subscription: str) -> Call[None]:
        """Import nothing more from a folder; what was imported stays."""
        return write("DELETE", f"imports/subscriptions/{segment(subscription)}")

    @row_flow
    def memories(
        self, items: Iterable[Mapping[str, Any]], *, portion: int = PORTION_ITEMS
    ) -> Flow[BatchResult]:
        """Remember many texts and yield a result for each, in their order.

        items: bodies of `remember`, read as they are needed. `index` counts from 0 over all of
        them. A refused item (`status` `refused`, with its `problem`) stops no other.
        """
        for some in _portions(enumerate(items), portion):
            yield from _send(some, _batch_call, _refused_item)

    @row_flow
    def snapshot(
        self,
        head: HeadRequest,
        lines: Iterable[Mapping[str, Any]],
        *,
        mode: Literal["replace", "keep", "merge"] = "keep",
        portion: int = PORTION_ITEMS,
    ) -> Flow[LineResult]:
        """Put the lines of a snapshot back and yield a result for each, in their order.

        mode: what happens to a memory that is there: `keep` leaves it, `replace` sets it as in the
        snapshot, `merge` does so if the snapshot's importance is higher.
        """

        def restore(some: list[Numbered]) -> Call[Any]:
            memories = [line for _, line in some]
            body = {"snapshot": {"head": head, "memories": memories}, "mode": mode}
            return write("POST", "snapshots", body)

        for some in _portions(enumerate(lines), portion):
            yield from _send(some, restore, _refused_line)


class Exports(Resource[Mode]):
    """Out of the server: what the key reads now, without sensitive memories."""

    @one_call
    def create(self, **filters: Unpack[ExportFields]) -> Call[Job]:
        """Have a snapshot made as a file; a job does it. One waits or runs at a time."""
        return write("POST", "exports", dict(filters))

    @one_call
    def download(self, job: str, path: str | os.PathLike[str]) -> Call[int]:
        """Write the file of a finished export to a path, whole or not at all; returns its number
        of bytes. Raises NotFoundError before the job is done, RefusedError after seven days."""
        return Call("GET", f"jobs/{segment(job)}/file", changes=False, save=Path(path))

    @row_flow
    def pages(
        self, *, page_size: int | None = None, **filters: Unpack[SnapshotFilters]
    ) -> Flow[Snapshot]:
        """The pages of a snapshot; each has a `head` and can be put back by itself."""
        cursor: str | None = None
        while True:
            page = yield get("snapshots", limit=page_size, cursor=cursor, **filters)
            yield Row(page["snapshot"])
            cursor = next_cursor(page, cursor)
            if cursor is None:
                return

    @row_flow
    def lines(
        self, *, page_size: int | None = None, **filters: Unpack[SnapshotFilters]
    ) -> Flow[SnapshotLine]:
        """The memories of a snapshot, one after the other."""
        cursor: str | None = None
        while True:
            page = yield get("snapshots", limit=page_size, cursor=cursor, **filters)
            for line in page["snapshot"]["memories"]:
                yield Row(line)
            cursor = next_cursor(page, cursor)
            if cursor is None:
                return


def _form(file: File, fields: Mapping[str, Any]) -> Form:
    """Read whole, because each attempt sends the same bytes."""
    if isinstance(file, bytes):
        return Form("import", file, fields)
    if isinstance(file, str | os.PathLike):
        path = Path(file)
        return Form(path.name, path.read_bytes(), fields)
    return Form(Path(str(getattr(file, "name", "import"))).name, file.read(), fields)


def _portions(items: Iterable[Numbered], most: int) -> Iterator[list[Numbered]]:
    portion: list[Numbered] = []
    size = 0
    for number, item in items:
        length = len(to_json(item))
        if portion and (len(portion) >= most or size + length > PORTION_BYTES):
            yield portion
            portion, size = [], 0
        portion.append((number, item))
        size += length
    if portion:
        yield portion


def _send(some: list[Numbered], build: Any, refused: Any) -> Flow[Any]:
    """Send a portion; one that is refused as a whole is halved, so that the others get in."""
    try:
        answer = yield build(some)
    except (InvalidError, TooLargeError, ServerError) as error:
        if isinstance(error, ServerError) and error.code != OUT_OF_TIME:
            raise
        if len(some) == 1:
            yield Row(refused(some[0][0], error))
            return
        middle = len(some) // 2
        yield from _send(some[:middle], build, refused)
        yield from _send(some[middle:], build, refused)
        return
    for result in answer["results"]:
        yield Row({**result, "index": some[result["index"]][0]})


def _batch_call(some: list[Numbered]) -> Call[Any]:
    return write("POST", "memories/batch", {"items": [item for _, item in some]})


def _refused_item(index: int, error: RefusedError) -> dict[str, Any]:
    return {"index": index, "status": "refused", "problem": dict(error.problem)}


def _refused_line(index: int, error: RefusedError) -> dict[str, Any]:
    return {"index": index, "result": "refused", "problem": dict(error.problem)}
