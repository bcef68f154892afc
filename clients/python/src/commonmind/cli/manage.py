"""Who one is and what there is: me, jobs, robots, keys."""

from __future__ import annotations

from typing import Any

import click

from commonmind.cli.session import ListGroup, Session, command_options, yes_option
from commonmind.client import Client

JOB_COLUMNS = (
    ("id", lambda job: job["id"]),
    ("kind", lambda job: job["kind"]),
    ("state", lambda job: job["state"]),
    ("done", lambda job: f"{job['done']} of {job['total']}"),
    ("since", lambda job: job["created_at"]),
    ("reason", lambda job: job["reason"]),
)
ROBOT_COLUMNS = (
    ("id", lambda robot: robot["id"]),
    ("name", lambda robot: robot["name"]),
    ("last active", lambda robot: robot["last_active_at"]),
    ("purpose", lambda robot: robot["purpose"]),
)


def named_groups(key: Any) -> list[str] | None:
    """The groups to which a key is limited, by name; None without a limit."""
    return None if key["groups"] is None else [group["name"] for group in key["groups"]]


KEY_COLUMNS = (
    ("id", lambda key: key["id"]),
    ("label", lambda key: key["label"]),
    ("begins with", lambda key: key["prefix"]),
    ("may", lambda key: key["scopes"]),
    ("only in", named_groups),
    ("only from", lambda key: key["networks"]),
    ("ends", lambda key: key["revoked_at"] or key["expires_at"]),
    ("last used", lambda key: key["last_used_at"]),
)


@click.command()
@command_options
def me(session: Session) -> None:
    """Which robot or member the key is, and what it may."""
    with session.client() as client:
        caller = client.me()
        url = client.target.url
    groups = ", ".join(one["external_id"] or one["name"] for one in caller["groups"])
    lines = [
        f"{caller['name']} ({caller['kind']} {caller['id']})",
        f"organisation: {caller['organisation']['name']}",
        f"may: {', '.join(caller['scopes'])}",
        f"groups: {groups or 'none'}",
        f"server: {url}",
    ]
    session.output.value(caller, "\n".join(lines))


@click.group(cls=ListGroup)
def jobs() -> None:
    """Longer work on the server; without a command the list."""


@jobs.command("list")
@command_options
def jobs_list(session: Session) -> None:
    """Your jobs, newest first."""
    with session.client() as client:
        session.output.rows(client.jobs.list(), JOB_COLUMNS, nothing="There are no jobs.")


@jobs.command("show")
@click.argument("job")
@command_options
def jobs_show(session: Session, job: str) -> None:
    """One job."""
    with session.client() as client:
        session.output.rows([client.jobs.get(job)], JOB_COLUMNS)


@jobs.command("cancel")
@click.argument("job")
@command_options
def jobs_cancel(session: Session, job: str) -> None:
    """Stop a job, at its next step if it runs."""
    with session.client() as client:
        session.output.rows([client.jobs.cancel(job)], JOB_COLUMNS)


@jobs.command("resume")
@click.argument("job")
@command_options
def jobs_resume(session: Session, job: str) -> None:
    """Go on with a cancelled job."""
    with session.client() as client:
        session.output.rows([client.jobs.resume(job)], JOB_COLUMNS)


@jobs.command("retry")
@click.argument("job")
@command_options
def jobs_retry(session: Session, job: str) -> None:
    """Try a job that stopped for good again."""
    with session.client() as client:
        session.output.rows([client.jobs.retry(job)], JOB_COLUMNS)


@jobs.command("undo")
@click.argument("job")
@command_options
def jobs_undo(session: Session, job: str) -> None:
    """Take a finished change of many memories back, and say what stayed as it is."""
    with session.client() as client:
        undone = client.jobs.undo(job)
    session.output.rows([undone], JOB_COLUMNS)
    for one in undone["first_problems"]:
        session.output.note(f"{one.get('id', '')} stayed: {one['reason']}")


@click.group(cls=ListGroup)
def robots() -> None:
    """The robots of the organisation; without a command the list."""


@robots.command("list")
@command_options
def robots_list(session: Session) -> None:
    """The robots, newest first."""
    with session.client() as client:
        session.output.rows(client.robots.list(page_size=200), ROBOT_COLUMNS)


@robots.command("show")
@click.argument("robot")
@command_options
def robots_show(session: Session, robot: str) -> None:
    """One robot, by its id."""
    with session.client() as client:
        session.output.rows([client.robots.get(robot)], ROBOT_COLUMNS)


@robots.command("add")
@click.argument("name")
@click.option("--id", "id_", help="Its id; otherwise one is made.")
@click.option("--purpose", help="What it is for.")
@command_options
def robots_add(session: Session, name: str, id_: str | None, purpose: str | None) -> None:
    """Register a robot (scope manage)."""
    fields: Any = {k: v for k, v in {"id": id_, "purpose": purpose}.items() if v is not None}
    with session.client() as client:
        session.output.rows([client.robots.register(name, **fields)], ROBOT_COLUMNS)


@click.group(cls=ListGroup)
def keys() -> None:
    """The keys of robots (scope manage); without a command those of your own robot."""


GROUP_OPTION = click.option(
    "--group", "groups", multiple=True, help="A group, by id; it opens what is in these alone."
)
NETWORK_OPTION = click.option(
    "--network", "networks", multiple=True, help="As CIDR; it opens anything from these alone."
)


def robot_or_own(client: Client, robot: str | None) -> str:
    """The robot that was named, else the one whose key is used."""
    if robot is not None:
        return robot
    caller = client.me()
    if caller["kind"] != "robot":
        raise click.UsageError("Name a robot.")
    return caller["id"]


@keys.command("list")
@click.argument("robot", required=False)
@command_options
def keys_list(session: Session, robot: str | None) -> None:
    """The keys of ROBOT, or of your own."""
    with session.client() as client:
        found = client.robots.keys(robot_or_own(client, robot))
        session.output.rows(found, KEY_COLUMNS, nothing="It has no keys.")


@keys.command("create")
@click.argument("robot")
@click.argument("label")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(["read", "write", "act_for", "manage"]),
    help="What it may; read and write if it is left out.",
)  # fmt: skip
@click.option("--days", type=int, help="After how many days it ends; never if it is left out.")
@GROUP_OPTION
@NETWORK_OPTION
@command_options
def keys_create(
    session: Session,
    robot: str,
    label: str,
    scopes: tuple[Any, ...],
    days: int | None,
    groups: tuple[str, ...],
    networks: tuple[str, ...],
) -> None:
    """Make a key for ROBOT and print its text, which is shown this once."""
    lists = {"scopes": scopes, "groups": groups, "networks": networks}
    fields: Any = {name: list(given) for name, given in lists.items() if given}
    if days is not None:
        fields["days"] = days
    with session.client() as client:
        made = client.robots.create_key(robot, label, **fields)
    session.output.value(made, made["key"])


@keys.command("limit")
@click.argument("robot")
@click.argument("key")
@GROUP_OPTION
@NETWORK_OPTION
@click.option("--all-groups", is_flag=True, help="Limit it to no groups any more.")
@click.option("--all-networks", is_flag=True, help="Limit it to no networks any more.")
@command_options
def keys_limit(
    session: Session,
    robot: str,
    key: str,
    groups: tuple[str, ...],
    networks: tuple[str, ...],
    all_groups: bool,
    all_networks: bool,
) -> None:
    """Limit KEY (its id) to groups and networks; what is not named stays as it is."""
    if (groups and all_groups) or (networks and all_networks):
        raise click.UsageError("Name some or all, not both.")
    fields: Any = {"groups": list(groups)} if groups else {}
    if networks:
        fields["networks"] = list(networks)
    if all_groups:
        fields["groups"] = None
    if all_networks:
        fields["networks"] = None
    if not fields:
        raise click.UsageError("Name a group or a network, or say --all-groups or --all-networks.")
    with session.client() as client:
        session.output.rows([client.robots.limit_key(robot, key, **fields)], KEY_COLUMNS)


def confirm_end(session: Session, key: str, *, yes: bool) -> None:
    """Ask before a key ends at once."""
    otherwise = "The key is as it was. Say --yes to end it."
    session.confirm(lambda: f"End the key {key} now, for good?", yes=yes, otherwise=otherwise)


@keys.command("renew")
@click.argument("robot")
@click.argument("key")
@click.option("--at-once", is_flag=True, help="End the old key now, not in a day.")
@yes_option
@command_options
def keys_renew(session: Session, robot: str, key: str, at_once: bool, yes: bool) -> None:
    """A key in the place of KEY (its id), printed this once. --at-once asks before, as revoke."""
    if at_once:
        confirm_end(session, key, yes=yes)
    with session.client() as client:
        made = client.robots.renew_key(robot, key, hours=0 if at_once else 24)
    session.output.value(made, made["key"])


@keys.command("revoke")
@click.argument("robot")
@click.argument("key")
@yes_option
@command_options
def keys_revoke(session: Session, robot: str, key: str, yes: bool) -> None:
    """End KEY (its id) for good. Asks before on a terminal; elsewhere it needs --yes."""
    confirm_end(session, key, yes=yes)
    with session.client() as client:
        client.robots.revoke_key(robot, key)
    session.output.value({"id": key, "revoked": True}, f"{key}\trevoked")
