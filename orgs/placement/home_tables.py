"""Accounts, sessions and what belongs to them lie on the home server alone."""

from typing import Any

from django.db import models

from orgs.database.driver.servers import current_server
from orgs.errors import AccountsElsewhereError


class HomeTablesRouter:
    """Refuses accounts where code works for an organisation on another server: what it would find
    there is not the account, and what it would write nobody would read."""

    def db_for_read(self, model: type[models.Model], **hints: Any) -> None:
        """Raises AccountsElsewhereError; chooses no database."""
        if current_server() and not is_tenant_model(model):
            raise AccountsElsewhereError

    db_for_write = db_for_read


def is_tenant_model(model: type[models.Model]) -> bool:
    """Whether the rows belong to organisations, and lie on their servers."""
    options = model._meta
    return options.label == "orgs.Organisation" or any(
        field.name == "organisation" for field in options.fields
    )
