"""Accounts, sessions and what belongs to them lie on the home server alone."""

from typing import Any

from django.db import models

from orgs.database.driver.servers import WrongServerError, current_server


class HomeTablesRouter:
    """Refuses accounts where code works for an organisation on another server: what it would find
    there is a copy (`orgs.placement.account_copies`), and what it would write nobody would read.
    Joins of a membership with its account are read from the copy."""

    def db_for_read(self, model: type[models.Model], **hints: Any) -> None:
        """Raises WrongServerError; chooses no database."""
        if current_server() and not is_tenant_model(model):
            raise WrongServerError(f"{model._meta.label} is kept on the home server alone.")

    db_for_write = db_for_read


def is_tenant_model(model: type[models.Model]) -> bool:
    """Whether the rows belong to organisations, and lie on their servers."""
    options = model._meta
    return options.label == "orgs.Organisation" or any(
        field.name == "organisation" for field in options.fields
    )
