"""Load the embedding model of ENCODER and describe it; exit code 1 if it cannot be used."""

from typing import Any

from django.core.management.base import CommandError

from memories.embedding.cross_encoders.cross_encoder import ModelMissingError
from memories.embedding.cross_encoders.cross_encoder_loading import get_cross_encoder
from memories.embedding.encoder import EncoderError
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import get_model
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Load the embedding model that ENCODER names, and say what it is."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            encoder = get_encoder()
        except EncoderError as error:
            raise CommandError(f"Not started: {error}.") from error
        model = get_model()
        if options["verbosity"]:
            self.print_result(
                {
                    "encoder": encoder.name,
                    "number": model.number,
                    "dimensions": encoder.dimensions,
                    "cross_encoder": _find_cross_encoder_name(),
                },
                as_json=options["json"],
            )


def _find_cross_encoder_name() -> str | None:
    """The name of the cross-encoder; None without one, so that answers keep the plain order."""
    try:
        return get_cross_encoder().name
    except ModelMissingError:
        return None
