"""The command itself: its parts, its errors, its exit codes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from commonmind.cli.ask import context, experts, recall, remember, said, timeline
from commonmind.cli.bulk import changes, forget
from commonmind.cli.files import files
from commonmind.cli.hook import hook
from commonmind.cli.hosts import setup
from commonmind.cli.manage import jobs, keys, me, robots
from commonmind.cli.output import Output, PipeClosedError
from commonmind.cli.session import AWAY, OK, PIPE_CLOSED, REFUSED, STOPPED, USAGE
from commonmind.cli.setup import completion, doctor, login
from commonmind.cli.transfer import export, import_
from commonmind.configuration import version
from commonmind.errors import (
    CommonmindError,
    DeprecatedCallWarning,
    InsecureAddressWarning,
    InsecureFileWarning,
    RefusedError,
    ServerError,
    UnavailableError,
    UnexpectedAnswerError,
)

EPILOG = """Exit codes: 0 done, 1 refused, 2 wrong usage, 3 the server does not answer.

Server and key are those of COMMONMIND_URL and COMMONMIND_KEY, else of the last login."""


@click.group(
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(version() or "source", package_name="commonmind")
def commonmind() -> None:
    """Shared memory for AI agents and the people they work for."""


PARTS = (
    login, remember, recall, context, said, timeline, experts, forget, changes, import_, export,
    files, jobs, me, robots, keys, setup, hook, doctor, completion,
)  # fmt: skip
for part in PARTS:
    commonmind.add_command(part)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code. Warnings of the client go to stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (InsecureAddressWarning, InsecureFileWarning, DeprecatedCallWarning):
            warnings.simplefilter("default", kind)
        warnings.showwarning = show_warning
        return _run(arguments)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """In place of Python's own form, which shows a line of source."""
    Output(as_json=False).warn(str(message))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = commonmind.main(arguments, prog_name="commonmind", standalone_mode=False)
    except (
        click.ClickException,
        click.Abort,
        KeyboardInterrupt,
        PipeClosedError,
        CommonmindError,
        ValueError,
    ) as error:
        return explain(error, Output(as_json=False))
    return code if isinstance(code, int) else OK


def explain(error: BaseException, output: Output) -> int:
    """Say on stderr what went wrong; returns the exit code."""
    code = USAGE
    match error:
        case click.UsageError():
            show_usage(error, output)
        case click.ClickException():
            output.problem(error.format_message())
        case click.Abort() | KeyboardInterrupt():
            output.note("Stopped.")
            code = STOPPED
        case PipeClosedError():
            code = PIPE_CLOSED
        case RefusedError():
            show_refusal(error, output)
            code = AWAY if isinstance(error, ServerError) else REFUSED
        case UnavailableError() | UnexpectedAnswerError():
            output.problem(str(error))
            code = AWAY
        case _:
            output.problem(str(error))
    return code


def show_usage(error: click.UsageError, output: Output) -> None:
    if error.ctx is not None:
        output.note(error.ctx.get_usage())
    output.problem(error.format_message())
    if isinstance(error, click.NoSuchOption):
        output.note("If that is a text and no option, write -- before it.")
    if error.ctx is not None:
        output.note(f"{error.ctx.command_path} --help says more.")


def show_refusal(error: RefusedError, output: Output) -> None:
    """What was wrong, field by field, and what to quote when it is reported."""
    output.problem(f"Refused ({error.status} {error.code}): {error.detail}")
    for one in error.errors:
        output.note(f"  {one.get('field', '')}: {one.get('detail', '')}")
    if error.retry_after is not None:
        output.note(f"  Try again in {error.retry_after:.0f} seconds.")
    if isinstance(error, ServerError) and error.request_id:
        output.note(f"  Request id: {error.request_id}")
