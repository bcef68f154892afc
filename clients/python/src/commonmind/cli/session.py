"""What all commands have in common: their options, the client, the exit codes."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from commonmind.cli.output import Output
from commonmind.client import Client
from commonmind.exchange import Settings

OK, REFUSED, USAGE, AWAY = 0, 1, 2, 3
# As shells say it of a command that was ended by a signal: Ctrl-C, and a pipe that was closed.
STOPPED, PIPE_CLOSED = 130, 141
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class Session:
    """A run of the command. failed: something was refused, and the rest went on."""

    output: Output
    timeout: float
    retries: int
    failed: bool = False

    def client(self, url: str | None = None, key: str | None = None) -> Client:
        """A client for the chosen server."""
        return Client(url, key, timeout=self.timeout, retries=self.retries)

    def confirm(self, question: Callable[[], str], *, yes: bool, otherwise: str) -> None:
        """Ask before something is done that cannot simply be taken back; `yes` answers it. Ends the
        command, with `otherwise` where nobody is at a terminal to ask. question: called if it is
        asked."""
        if yes:
            return
        if not sys.stdin.isatty():
            self.output.problem(otherwise)
            click.get_current_context().exit(USAGE)
        click.confirm(question(), abort=True, err=True)


yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


class ListGroup(click.Group):
    """Commands about one kind of thing. Without one of them it is `list`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not set(args) & {*self.commands, *ctx.help_option_names}:
            args = ["list", *args]
        return super().parse_args(ctx, args)


def command_options(command: Command) -> Command:
    """Options of every command; it gets a Session as its first argument."""

    @click.option("--json", "as_json", is_flag=True, help="Results as JSON, one a line.")
    @click.option(
        "--timeout",
        type=click.FloatRange(min=0.1),
        default=Settings.timeout,
        show_default=True,
        help="Seconds for one attempt.",
    )
    @click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=Settings.retries,
        show_default=True,
        help="How often a call is sent again that found nobody or has to wait.",
    )
    @click.pass_context
    @functools.wraps(command)
    def run(
        context: click.Context,
        /,
        *args: Any,
        as_json: bool,
        timeout: float,
        retries: int,
        **rest: Any,
    ) -> None:
        session = Session(Output(as_json=as_json), timeout, retries)
        command(session, *args, **rest)
        if session.failed:
            context.exit(REFUSED)

    return run  # type: ignore[return-value]
