"""The embedding models of an organisation: which one serves, and which is kept beside it.

An organisation that chose none has that of the setting ENCODER (docs/adr/0051-key-of-a-vector.md).
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from memories.embedding.model_catalogue import EmbeddingModel, get_model
from orgs.database.rls import any_scope_of
from orgs.models.organisations import DEFAULT_ENCODERS, EncoderChoice, Organisation


@dataclass(frozen=True, slots=True)
class OrganisationModels:
    """serving: by which questions are answered. second: the other one that is kept up to date, or
    None. rows: whose searched vectors stand in the narrow rows (memories_search); that is where a
    new memory gets its vector of this model. Those of the other stand in memories_vector.
    in_rows: numbers of the models that narrow rows may still have, the serving one first.
    has_parts: whether texts may have vectors of parts (`text_parts`), in memories_vector.
    """

    serving: EmbeddingModel
    second: EmbeddingModel | None
    rows: EmbeddingModel
    in_rows: tuple[int, ...]
    has_parts: bool

    @property
    def is_settling(self) -> bool:
        """Whether vectors of the serving model are being moved into the narrow rows."""
        return self.second is None and len(self.in_rows) > 1

    @property
    def stored(self) -> tuple[EmbeddingModel, ...]:
        """The models of which every memory gets a vector, the serving one first."""
        return (self.serving,) if self.second is None else (self.serving, self.second)


def to_organisation_models(choice: EncoderChoice) -> OrganisationModels:
    """The models of these names; asks no database."""
    serving = get_model(choice.serving or None)
    second = get_model(choice.second) if choice.second else None
    before = get_model(choice.rows) if choice.rows else serving
    rows = second if second is not None and second.number == before.number else serving
    numbers = dict.fromkeys((serving.number, before.number))
    return OrganisationModels(serving, second, rows, tuple(numbers), choice.has_parts)


def find_organisation_models(
    organisation_id: UUID, *, using: str = DEFAULT_DB_ALIAS
) -> OrganisationModels:
    """The models of an organisation; one query in a scope of it. One that is not there has that of
    ENCODER."""
    with any_scope_of(organisation_id, using):
        rows = Organisation.with_removed.using(using).filter(id=organisation_id)
        found = rows.values_list("encoder", "second_encoder", "row_encoder", "has_parts").first()
    return to_organisation_models(EncoderChoice(*found) if found else DEFAULT_ENCODERS)


def find_serving_model(organisation_id: UUID, *, using: str = DEFAULT_DB_ALIAS) -> EmbeddingModel:
    """The model by which the organisation's questions are answered; see
    `find_organisation_models`."""
    return find_organisation_models(organisation_id, using=using).serving
