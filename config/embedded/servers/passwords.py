"""The passwords of the database roles: given by the environment, or random and kept."""

from collections.abc import Mapping
from pathlib import Path

from config.embedded.errors import EmbeddedError
from config.embedded.private_files import generate_secret, read_json, write_json
from config.embedded.processes.system_account import service_account
from config.embedded.servers.provisioning import LOGIN_ROLES


def role_passwords(data_dir: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Read COMMONMIND_{OWNER,APP,WORKER,SUPPORT}_PASSWORD, else DATA_DIR/roles.json.

    Without a given password one is made and kept; with all four given nothing is written.
    """
    given = {role: environ.get(f"{role.upper()}_PASSWORD", "") for role in LOGIN_ROLES}
    given = {role: password for role, password in given.items() if password}
    for role, password in given.items():
        if "\0" in password or len(password) < 8:
            raise EmbeddedError(f"{role.upper()}_PASSWORD is shorter than 8 characters")
    if len(given) == len(LOGIN_ROLES):
        return given
    service_account(environ).passage(data_dir)
    kept = read_json(data_dir / "roles.json")
    passwords = {role: str(kept.get(role) or generate_secret()) for role in LOGIN_ROLES}
    if passwords != kept:
        write_json(data_dir / "roles.json", passwords)
    return passwords | given
