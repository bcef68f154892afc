"""Remember and ask: remember, recall, context, said, timeline, experts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import click

from commonmind.cli.input import iter_lines, parse_fields, stdin
from commonmind.cli.session import Session, command_options
from commonmind.cli.transfer import PORTION, send_lines
from commonmind.errors import ForbiddenError, RefusedError, ServerError, UnauthenticatedError

set_option = click.option(
    "--set",
    "fields",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any other field of the API; the value is JSON or a text.",
)
jsonl_option = click.option(
    "--jsonl", is_flag=True, help="Read lines of JSON from stdin, each the fields of one call."
)
group_option = click.option("--group", help="A group, by id or external id.")
member_option = click.option("--member", help="A member, by id or platform:identifier.")


def given(fields: tuple[str, ...], **options: Any) -> dict[str, Any]:
    """The fields of a call: options that were used, and those of --set."""
    used = {name: value for name, value in options.items() if value not in (None, (), "")}
    try:
        return {**used, **parse_fields(fields)}
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def text_argument(text: str | None, *, jsonl: bool) -> str | None:
    """The text of a call; `-` is all of stdin. None with --jsonl."""
    if jsonl:
        if text is not None:
            raise click.UsageError("Give a text, or --jsonl and the texts on stdin.")
        return None
    if text is None:
        raise click.UsageError("Give a text; - reads one from stdin, --jsonl reads lines of JSON.")
    try:
        if text == "-":
            return stdin().read().decode("utf-8").rstrip("\r\n")
        # What the shell handed over as other bytes would go out as half characters.
        text.encode()
    except UnicodeError as error:
        raise click.UsageError("The text is not UTF-8.") from error
    return text


@click.command()
@click.argument("text", required=False)
@group_option
@member_option
@click.option("--visibility", help="Who reads it: organisation, group, private, internal, ...")
@click.option("--speaker", help="Whose words it gives.")
@click.option("--key", help="A name of your own, so that it can be repeated.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--category", help="Such as fact, preference, org_policy.")
@click.option("--conversation", help="Which turns belong together.")
@click.option("--occurred-at", help="When it was said, as 2026-03-02T09:00:00Z.")
@set_option
@jsonl_option
@click.option(
    "--portion", type=click.IntRange(1, 1000), default=PORTION, show_default=True,
    help="With --jsonl: how many lines are sent in one call.",
)  # fmt: skip
@command_options
def remember(
    session: Session,
    text: str | None,
    fields: tuple[str, ...],
    jsonl: bool,
    portion: int,
    **options: Any,
) -> None:
    """Remember TEXT, or with --jsonl each line of stdin."""
    content = text_argument(text, jsonl=jsonl)
    options["tags"] = list(options["tags"])
    more = given(fields, **{name: value for name, value in options.items() if value != []})
    with session.client() as client:
        if content is None:
            send_lines(session, client, iter_lines(stdin()), more=more, portion=portion)
            return
        made = client.remember(content, **more)
    audience = made["audience"]["label"]
    again = f", for the {made['remember_count']}th time" if made["deduplicated"] else ""
    session.output.value(made, f"{made['id']}\t{made['status']}{again}\t{audience}")


def each_question(
    session: Session, text: str | None, jsonl: bool, fields: Mapping[str, Any],
    ask: Callable[..., Any], show: Callable[[Any], None],
) -> None:  # fmt: skip
    """Ask once, or once for each line of stdin; a line that is refused stops no other."""
    query = text_argument(text, jsonl=jsonl)
    if query is not None:
        show(ask(query=query, **fields))
        return
    for line in iter_lines(stdin()):
        reason = line.error
        if not reason:
            try:
                show(ask(**{**fields, **line.value}))
                continue
            except (UnauthenticatedError, ForbiddenError, ServerError):
                raise
            except RefusedError as error:
                reason = f"{error.code}: {error.detail}"
            except TypeError:
                reason = "It has no query."
        session.output.problem(f"line {line.number}: {reason}")
        session.failed = True


HIT_COLUMNS = (
    ("score", lambda hit: hit["score"]),
    ("text", lambda hit: hit["content"]),
    ("said by", lambda hit: hit["speaker"] or (hit["robot"] or {}).get("name")),
    ("on", lambda hit: (hit["occurred_at"] or hit["created_at"])[:10]),
    ("readers", lambda hit: hit["audience"]["label"]),
)


@click.command()
@click.argument("query", required=False)
@click.option("--limit", type=int, help="How many results, 10 if it is left out.")
@group_option
@member_option
@click.option("--about", help="Only what is about this member or gives their words.")
@click.option("--shareable-with", help="Only what every member of this group may read.")
@click.option("--timeframe", help='Such as "last week".')
@click.option("--as-of", help="What was true at this day or time.")
@click.option("--strategy", help="How the store is searched.")
@set_option
@jsonl_option
@command_options
def recall(
    session: Session, query: str | None, fields: tuple[str, ...], jsonl: bool, **options: Any
) -> None:
    """The memories that answer QUERY, the best first."""

    def show(answer: Any) -> None:
        if session.output.as_json:
            session.output.value(answer)
            return
        session.output.rows(answer["results"], HIT_COLUMNS, nothing="Nothing was found.")
        if answer["results"] and answer["answered"] == "no":
            session.output.note("None of it seems to answer the question.")

    with session.client() as client:
        each_question(session, query, jsonl, given(fields, **options), client.recall, show)


@click.command()
@click.argument("query", required=False)
@click.option("--max-tokens", type=int, help="Of the whole text, 2000 if it is left out.")
@group_option
@member_option
@click.option("--about", help="Only memories about this member or in their words.")
@set_option
@jsonl_option
@command_options
def context(
    session: Session, query: str | None, fields: tuple[str, ...], jsonl: bool, **options: Any
) -> None:
    """A block for a prompt: what matters to QUERY, cited, within a budget of tokens."""

    def show(answer: Any) -> None:
        session.output.value(answer, answer["text"])

    with session.client() as client:
        each_question(session, query, jsonl, given(fields, **options), client.context, show)


@click.command()
@click.argument("topic")
@click.option("--limit", type=int, help="Count only so many of the newest memories.")
@command_options
def said(session: Session, topic: str, limit: int | None) -> None:
    """Which robot brought how many memories about TOPIC."""
    with session.client() as client:
        rows = client.said(topic, limit=limit)["results"]
    columns = (("robot", lambda one: one["robot"]["name"]), ("memories", lambda one: one["count"]))
    session.output.rows(rows, columns)


@click.command()
@click.argument("topic")
@click.option("--limit", type=int, help="How many, 50 if it is left out.")
@command_options
def timeline(session: Session, topic: str, limit: int | None) -> None:
    """What was said about TOPIC, in the order of time."""
    with session.client() as client:
        rows = client.timeline(topic, limit=limit)["results"]
    columns = (
        ("at", lambda one: one["timestamp"]),
        ("said by", lambda one: one["speaker"] or (one["robot"] or {}).get("name")),
        ("text", lambda one: one["content"]),
    )
    session.output.rows(rows, columns)


@click.command()
@click.argument("topic")
@group_option
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True)
@command_options
def experts(session: Session, topic: str, group: str | None, limit: int) -> None:
    """Who knows about TOPIC, the best first."""
    filters: Any = {"group": group} if group else {}
    columns = (
        ("name", lambda one: one["name"]),
        ("weight", lambda one: one["weight"]),
        ("memories", lambda one: one["memories"]),
        ("last", lambda one: one["last_at"][:10]),
    )
    with session.client() as client:
        found = client.experts(topic, page_size=min(limit, 100), **filters)
        session.output.rows(islice(found, limit), columns, nothing="Nobody is known to.")
