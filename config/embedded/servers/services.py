"""The database and the broker of one DATA_DIR, embedded or given by the environment."""

from collections.abc import Mapping
from pathlib import Path

from config.embedded.errors import EmbeddedError
from config.embedded.private_files import ensure_key_file, generate_secret, read_json, write_json
from config.embedded.processes.system_account import service_account
from config.embedded.servers.passwords import role_passwords
from config.embedded.servers.ports import parse_port
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.provisioning import provision
from config.embedded.servers.server import Server
from config.embedded.servers.valkey import Valkey

DATABASE = "commonmind"
ROLE_VARIABLES = ("DATABASE_OWNER_URL", "DATABASE_WORKER_URL", "DATABASE_SUPPORT_URL")


class Services:
    """Starts the services that are not given, and holds the environment variables for their
    users."""

    def __init__(self, data_dir: Path, environ: Mapping[str, str], fast: bool = False) -> None:
        self.data_dir = data_dir
        self.given = environ
        self.fast = fast
        self.servers: list[Server] = []
        self.environment: dict[str, str] = {}
        self.admin_url = environ.get("DATABASE_ADMIN_URL", "")

    @property
    def file(self) -> Path:
        """DATA_DIR/services.json: ``environment`` for commands typed beside a running server."""
        return self.data_dir / "services.json"

    @property
    def full_environment(self) -> dict[str, str]:
        """``environment`` and the superuser's URL, for tests and benchmarks only."""
        extra = {"DATABASE_ADMIN_URL": self.admin_url} if self.admin_url else {}
        return self.environment | extra | {"DATA_DIR": str(self.data_dir)}

    def start(self) -> None:
        """Start PostgreSQL and Valkey unless given, provision, write services.json (mode 600)."""
        service_account(self.given).passage(self.data_dir)
        environment = self._database() | {"REDIS_URL": self._broker()}
        kept = read_json(self.file).get("SECRET_KEY")
        environment["SECRET_KEY"] = self.given.get("SECRET_KEY") or str(kept or generate_secret())
        if not self.given.get("ENCRYPTION_KEYS"):
            given = self.given.get("ENCRYPTION_KEY_FILE")
            environment["ENCRYPTION_KEY_FILE"] = given or str(ensure_key_file(self.data_dir))
        self.environment = environment
        write_json(self.file, environment)

    def stop(self) -> None:
        """Stop what was started, the last one first."""
        for server in reversed(self.servers):
            server.stop()

    def kill(self) -> None:
        """Stop at once; safe inside a signal handler."""
        for server in reversed(self.servers):
            server.kill()

    def _database(self) -> dict[str, str]:
        if url := self.given.get("DATABASE_URL"):
            if missing := [name for name in ROLE_VARIABLES if not self.given.get(name)]:
                raise EmbeddedError(
                    f"DATABASE_URL is set, so {', '.join(missing)} must be set too; or set "
                    "DATABASE_ADMIN_URL alone to have roles and database made"
                )
            return {"DATABASE_URL": url} | {name: self.given[name] for name in ROLE_VARIABLES}
        if not self.admin_url:
            self.admin_url = self._start(Postgres)
        database = self.given.get("COMMONMIND_DATABASE") or DATABASE
        urls = provision(self.admin_url, database, role_passwords(self.data_dir, self.given))
        return {
            "DATABASE_URL": urls.app,
            "DATABASE_OWNER_URL": urls.owner,
            "DATABASE_WORKER_URL": urls.worker,
            "DATABASE_SUPPORT_URL": urls.support,
        }

    def _broker(self) -> str:
        return self.given.get("REDIS_URL") or self._start(Valkey)

    def _start(self, kind: type[Server]) -> str:
        variable = f"{kind.name.upper()}_PORT"
        text = self.given.get(variable, "")
        port = parse_port(text, variable) if text else None
        server = kind(self.data_dir, port=port, fast=self.fast)
        self.servers.append(server)
        return server.start()
