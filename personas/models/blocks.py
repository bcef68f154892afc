"""Blocks: bounded texts that are always loaded in a robot's context."""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey, TenantModel


class Layer(models.TextChoices):
    """What a block is for; the rules of each are in personas/blocks/layers.py."""

    AGENT = "agent_persona"
    HUMAN = "human"
    PROFILE = "user_persona_profile"
    SHARED = "service_experience"
    GLOBAL = "global_experience"


class Block(TenantModel):
    """One block: the organisation's (agent_persona, global_experience), a member's (human,
    user_persona_profile), or a persona's (service_experience). A human block with a `robot` is what
    the member told this robot; only the two read it.

    own_text: only of agent_persona, which admins write. The lines of every other block are
    memories, so readers, review, erasure and history work as for memories. `BlockLine` names the
    lines of a member's block; those of a persona's block are all memories of its audience, and
    those of global_experience all memories of the audience of all industries.
    """

    layer = models.CharField(max_length=20, choices=Layer.choices)
    member = TenantForeignKey("orgs.Member", null=True)
    persona = TenantForeignKey("personas.Persona", null=True, related_name="blocks")
    robot = TenantForeignKey("robots.Robot", null=True)
    own_text = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "layer", "member", "persona", "robot"],
                name="block_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=(
                    models.Q(
                        layer__in=("agent_persona", "global_experience"),
                        member=None,
                        persona=None,
                        robot=None,
                    )
                    | models.Q(layer="human", member__isnull=False, persona=None)
                    | models.Q(
                        layer="user_persona_profile",
                        member__isnull=False,
                        persona=None,
                        robot=None,
                    )
                    | models.Q(
                        layer="service_experience", member=None, persona__isnull=False, robot=None
                    )
                ),
                name="block_of_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.layer} {self.id}"


class BlockLine(MemoryPart):
    """A memory is a line of a member's block; readable like the memory, and goes with it."""

    block = TenantForeignKey("personas.Block", related_name="lines")
    position = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "block", "memory"], name="block_line_once"
            )
        ]


class BlockVersion(TenantModel):
    """What a block held: the ids of its lines and their versions, and no text.

    lines: pairs [memory id, memory version] in the order of the text. own_text: of agent_persona.
    member, robot: who made it; both empty if it was no write to the block, but for example a
    decision in review, an erasure or ageing.
    """

    block = TenantForeignKey("personas.Block", related_name="versions")
    number = models.PositiveIntegerField()
    lines = models.JSONField(default=list)
    own_text = models.TextField(blank=True, default="")
    characters = models.PositiveIntegerField()
    made_at = models.DateTimeField()
    member = TenantForeignKey("orgs.Member", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "block", "number"], name="block_version_once"
            )
        ]


class BlockRobot(TenantModel):
    """A persona's block is attached to a member's personal robot."""

    block = TenantForeignKey("personas.Block", related_name="robots")
    robot = TenantForeignKey("robots.Robot")
    attached_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "block", "robot"], name="block_robot_once"
            )
        ]
