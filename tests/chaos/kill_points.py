"""Kill a worker in the middle of a kind of work, at a drawn call of the product's code.

Loaded by the workers. An order is a file `DATA_DIR/chaos/<kind>`: how many calls of functions in
`memories` and `orgs` that work still gets, and whether the whole worker dies or its process alone.
Work that ends before leaves the rest of the calls to the next of its kind.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings

from memories.indexing import embed_worker, enrich_worker
from memories.jobs import organisation_run, run_jobs
from memories.lifecycle import tier_schedule

OWN = ("memories.", "orgs.")


def folder(data_dir: Path) -> Path:
    """Where the orders lie."""
    return data_dir / "chaos"


def write_order(data_dir: Path, kind: str, *, after: int, whole: bool) -> Path:
    """Order the death of the next worker that does work of this kind; gone when it has died."""
    path = folder(data_dir) / kind
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps({"after": after, "whole": whole}))
    return part.replace(path)


def killable(kind: str, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Do the work, and die in it if that was ordered."""
    path = folder(Path(settings.DATA_DIR)) / kind
    try:
        order = json.loads(path.read_text())
    except FileNotFoundError:
        return work(*given, **named)
    left = order["after"]

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal left
        if event != "call" or not frame.f_globals.get("__name__", "").startswith(OWN):
            return
        left -= 1
        if left <= 0:
            path.unlink(missing_ok=True)
            if order["whole"]:
                # The worker and its processes are a group.
                os.killpg(os.getpgrp(), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    try:
        return work(*given, **named)
    finally:
        sys.setprofile(None)
        write_order(Path(settings.DATA_DIR), kind, after=left, whole=order["whole"])


def _wrap(module: Any, name: str, kind: Callable[..., str]) -> None:
    work = getattr(module, name)

    @wraps(work)
    def run(*given: Any, **named: Any) -> Any:
        return killable(kind(*given), work, *given, **named)

    setattr(module, name, run)


_wrap(embed_worker, "_embed_batch", lambda *_: "embed")
_wrap(enrich_worker, "enrich_memories", lambda *_: "restate")
_wrap(tier_schedule, "move_due_tiers", lambda *_: "age")
_wrap(run_jobs, "_run_handler", lambda _, job: job.kind)
_wrap(organisation_run, "run_time_slice", lambda job: job.kind)
