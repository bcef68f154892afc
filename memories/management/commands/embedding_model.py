"""Change the embedding model of an organisation while it is in use, and back."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.embedding.encoder import EncoderError
from memories.indexing import model_choice, model_switch
from memories.indexing.model_choice import ModelChoiceError
from memories.jobs.models import JobType
from memories.jobs.organisation_run import lease_manual_run
from memories.management.terminal_job import run_at_terminal
from orgs.management.output import ResultCommand
from orgs.models.organisations import Organisation
from orgs.placement.all_organisations import list_organisations

# Those that name a model.
NAMING_ACTIONS = ("add", "remove")


class Command(ResultCommand):
    help = (
        "Which embedding model an organisation has; add another, fill it, switch to it, switch "
        "back, remove one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "action", choices=("status", *NAMING_ACTIONS, "backfill", "pause", "switch", "back")
        )
        parser.add_argument("name", nargs="?", help="of the model, for add and remove")
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--organisation", help="slug, id or name")
        whose.add_argument("--all", action="store_true", help="every organisation, one by one")

    def handle(self, *args: Any, **options: Any) -> None:
        action, name = options["action"], options["name"]
        if (action in NAMING_ACTIONS) != bool(name):
            needs = "needs the name of a model" if action in NAMING_ACTIONS else "takes no name"
            raise CommandError(f"{action} {needs}.")
        if options["all"]:
            organisations = list_organisations()
        else:
            organisations = [self.organisation(options["organisation"])]
        act: Callable[..., dict[str, Any]] = getattr(self, f"_{action}")
        results, refused = {}, []
        for organisation in organisations:
            label = str(organisation.id) if options["all"] else organisation.slug
            try:
                results[label] = act(organisation, name)
            except (ModelChoiceError, EncoderError, CommandError) as error:
                refused.append(f"{label}: {error}" if options["all"] else str(error))
        if options["json"]:
            self.print_result({"organisations": results}, as_json=True)
        else:
            for label, result in results.items():
                self.stdout.write(f"{label}: {_to_line(result)}")
        if refused:
            raise CommandError("\n".join(refused))

    def _status(self, organisation: Organisation, name: str | None) -> dict[str, Any]:
        return asdict(model_choice.find_model_status(organisation.id))

    def _add(self, organisation: Organisation, name: str) -> dict[str, Any]:
        model_choice.add_model(organisation.id, name, now=timezone.now())
        return self._status(organisation, None)

    def _backfill(self, organisation: Organisation, name: str | None) -> dict[str, Any]:
        now = timezone.now()
        model_choice.set_fill_paused(organisation.id, paused=False, now=now)
        if model_switch.is_running(organisation.id, now=now):
            self.stderr.write("A worker is filling it now; cancel its job to do it here.")
        else:
            run_at_terminal(lease_manual_run(organisation.id, JobType.RE_EMBED, now=now), "Embed")
        return self._status(organisation, None)

    def _pause(self, organisation: Organisation, name: str | None) -> dict[str, Any]:
        model_choice.set_fill_paused(organisation.id, paused=True, now=timezone.now())
        return self._status(organisation, None)

    def _switch(self, organisation: Organisation, name: str | None) -> dict[str, Any]:
        model_choice.switch_model(organisation.id, now=timezone.now())
        return self._status(organisation, None)

    def _back(self, organisation: Organisation, name: str | None) -> dict[str, Any]:
        model_choice.switch_back(organisation.id, now=timezone.now())
        return self._status(organisation, None)

    def _remove(self, organisation: Organisation, name: str) -> dict[str, Any]:
        model_choice.remove_model(organisation.id, name, now=timezone.now())
        model_choice.clean_up(organisation.id)
        return self._status(organisation, None)


def _to_line(status: dict[str, Any]) -> str:
    """A `ModelStatus` as one line."""
    if status["second"] is None:
        left = "; vectors of the removed one are left" if status["state"] == "removing" else ""
        return f"{status['serving']} serves alone, {status['memories']:,} memories{left}"
    have = status["memories"] - status["missing"]
    index = "" if status["indexed"] else ", its index is not built yet"
    return (
        f"{status['serving']} serves, {status['second']} is kept beside it ({status['state']}): "
        f"{have:,} of {status['memories']:,} memories{index}"
    )
