"""An export of mem0: each row is private to its user."""

from memories.ingestion.file_import.formats.line_writer import LineWriter
from memories.ingestion.file_import.formats.sources import (
    EACH,
    Source,
    as_list,
    as_text,
    iter_elements,
)

LABEL = "mem0"
_ROWS = {(EACH,), ("results", EACH)}


def convert(source: Source, writer: LineWriter) -> None:
    """Write the rows. What was kept for no user is private to whoever imports."""
    for path, row in iter_elements(source, _ROWS):
        item = f"row {int(path[-1]) + 1}"
        if not writer.is_row(item, row):
            continue
        text, id_ = as_text(row.get("memory")), as_text(row.get("id"))
        if not text.strip():
            writer.skip(item, "no memory")
            continue
        if not id_:
            writer.skip(item, "no id")
            continue
        tags = [one for one in as_list(row.get("categories")) if isinstance(one, str) and one]
        run = as_text(row.get("run_id"))
        writer.write(
            item,
            id=f"mem0-{id_}",
            text=text,
            private=True,
            subject=as_text(row.get("user_id")),
            agent=as_text(row.get("agent_id")),
            session=f"mem0-{run}" if run else "",
            tags=tags or None,
            timestamp=writer.time(row.get("created_at")),
        )
