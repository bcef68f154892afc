"""Command line: run, dev, exec, env, provision, discard. DATA_DIR (default var/) is the place."""

import argparse
import os
import shlex
import sys
from pathlib import Path

from config.embedded import development
from config.embedded.errors import EmbeddedError, run_command
from config.embedded.exec_command import ServiceCommand, ensure_data_dir
from config.embedded.private_files import read_json
from config.embedded.processes.data_dir_lock import DataDirLock
from config.embedded.servers.passwords import role_passwords
from config.embedded.servers.ports import is_free, parse_port
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.provisioning import provision
from config.embedded.servers.services import DATABASE
from config.embedded.servers.valkey import Valkey
from config.embedded.supervisor import Supervisor


def main() -> int:
    """Run one command. An error that a person can fix is one line on stderr, with exit code 1."""
    own, words = _split_arguments(sys.argv[1:])
    arguments = _parser().parse_args(own)
    arguments.words = words
    data_dir = Path(os.environ.get("DATA_DIR") or "var").resolve()
    return run_command(lambda: arguments.command(data_dir, arguments))


def _split_arguments(words: list[str]) -> tuple[list[str], list[str]]:
    """(our own arguments, those after the first ``--`` for the command to run)."""
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m config.embedded", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="services, migrations, demo, web, worker and beat")
    run.set_defaults(command=_run)
    dev = commands.add_parser("dev", help="the site with reload, and one worker, for developers")
    dev.set_defaults(command=_dev)
    execute = commands.add_parser(
        "exec",
        help="run a command with the services around it",
        usage="python -m config.embedded exec [--fast] -- CMD [ARGUMENT ...]",
    )
    execute.add_argument("--fast", action="store_true", help="test data: no fsync")
    execute.set_defaults(command=_exec)
    env = commands.add_parser("env", help="print the services' environment for a shell")
    env.set_defaults(command=_env)
    provisioning = commands.add_parser("provision", help="roles and database by DATABASE_ADMIN_URL")
    provisioning.set_defaults(command=_provision)
    discard = commands.add_parser("discard", help="delete the services' data in DATA_DIR")
    discard.add_argument("--yes", action="store_true", required=True, help="I mean it")
    discard.set_defaults(command=_discard)
    return parser


def _run(data_dir: Path, arguments: argparse.Namespace) -> int:
    os.umask(0o077)
    return Supervisor(ensure_data_dir(data_dir), os.environ.copy()).run()


def _dev(data_dir: Path, arguments: argparse.Namespace) -> int:
    port = parse_port(os.environ.get("PORT") or "8000", "PORT")
    if not is_free(port):
        raise EmbeddedError(f"port {port} is taken: stop `make run`, or take another PORT")
    settings = {"DJANGO_SETTINGS_MODULE": development.SETTINGS, "PORT": str(port)}
    execution = ServiceCommand(ensure_data_dir(data_dir), {**os.environ, **settings}, fast=False)
    return execution.run([sys.executable, "-m", "config.embedded.development"])


def _exec(data_dir: Path, arguments: argparse.Namespace) -> int:
    if not arguments.words:
        raise EmbeddedError("exec needs a command: exec [--fast] -- CMD [ARGUMENT ...]")
    execution = ServiceCommand(ensure_data_dir(data_dir), os.environ.copy(), arguments.fast)
    return execution.run(arguments.words)


def _env(data_dir: Path, arguments: argparse.Namespace) -> int:
    environment = read_json(data_dir / "services.json")
    if not environment:
        raise EmbeddedError(f"no services were started in {data_dir}: `make run` does it")
    for name, value in {**environment, "DATA_DIR": data_dir}.items():
        print(f"export {name}={shlex.quote(str(value))}")
    return 0


def _provision(data_dir: Path, arguments: argparse.Namespace) -> int:
    admin_url = os.environ.get("DATABASE_ADMIN_URL")
    if not admin_url:
        raise EmbeddedError("DATABASE_ADMIN_URL is not set")
    database = os.environ.get("COMMONMIND_DATABASE") or DATABASE
    provision(admin_url, database, role_passwords(data_dir, os.environ))
    print(f"The roles and the database {database} are ready.")
    return 0


def _discard(data_dir: Path, arguments: argparse.Namespace) -> int:
    if not data_dir.is_dir():
        return 0
    lock = DataDirLock(data_dir, "discard")
    lock.acquire()
    try:
        for server in (Valkey(data_dir), Postgres(data_dir)):
            server.remove()
    finally:
        lock.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
