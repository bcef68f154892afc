"""On which server an organisation lies; a table of the home server."""

from django.db import models


class PlacementState(models.TextChoices):
    MAKING = "making"
    READY = "ready"


class Placement(models.Model):
    """The server of an organisation. One without a row lies on the home server.

    id: the organisation's. server: a name of DATABASE_SERVERS, empty for the home server. slug: as
    the organisation has it, unique among all servers.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    server = models.CharField(max_length=40, blank=True)
    slug = models.CharField(max_length=80, unique=True)
    state = models.CharField(max_length=10, choices=PlacementState.choices)

    def __str__(self) -> str:
        return f"{self.slug} on {self.server or 'the home server'}"
