"""Load the embedding model of ENCODER and describe it; exit code 1 if it cannot be used."""

from typing import Any

from django.core.management.base import CommandError

from memories.embedding.cross_encoders.in_use import cross_encoder
from memories.embedding.cross_encoders.interface import ModelMissing
from memories.embedding.encoders import get_encoder
from memories.embedding.interface import EncoderError
from memories.embedding.known_models import known_model
from orgs.management.output import SpeakingCommand


class Command(SpeakingCommand):
    help = "Load the embedding model that ENCODER names, and say what it is."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            encoder = get_encoder()
        except EncoderError as error:
            raise CommandError(f"Not started: {error}.") from error
        model = known_model()
        if options["verbosity"]:
            self.say(
                {
                    "encoder": encoder.name,
                    "number": model.number,
                    "dimensions": encoder.dimensions,
                    "cross_encoder": _cross_encoder(),
                },
                as_json=options["json"],
            )


def _cross_encoder() -> str | None:
    """The name of the cross-encoder; None without one, so that answers keep the plain order."""
    try:
        return cross_encoder().name
    except ModelMissing:
        return None
