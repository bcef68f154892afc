"""What each kind of block is for, how long it may be, and how it begins. Pure."""

from dataclasses import dataclass

from memories.language.rendering.model_text import render_line
from personas.models.blocks import Layer

PROFILE_LABEL, HUMAN_LABEL, AGENT_LABEL = "user_persona_profile", "human", "agent_persona"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRules:
    """limit: of the text, in characters. personal: whether it may hold personal data."""

    limit: int
    personal: bool
    description: str


LAYER_RULES = {
    Layer.AGENT: LayerRules(
        limit=2_000,
        personal=False,
        description=(
            "How every robot of the organisation works and speaks. Admins write it; robots read it."
        ),
    ),
    Layer.HUMAN: LayerRules(
        limit=3_000,
        personal=True,
        description=(
            "Facts about this one person. Only they and their personal robot read it, so personal "
            "facts belong here. What they do for a living belongs in user_persona_profile."
        ),
    ),
    Layer.PROFILE: LayerRules(
        limit=5_000,
        personal=False,
        description=(
            "How this person works in their persona: goals, figures that count, habits. Name no "
            "person, place, client or company; personal facts belong in human."
        ),
    ),
    Layer.SHARED: LayerRules(
        limit=8_000,
        personal=False,
        description=(
            "What all robots learned about serving {handle} users. What belongs here: patterns of "
            "questions, workflows that worked, the figures that count. What never belongs here: "
            "names of people, places, clients or companies, what one user found, and anything "
            "that is theirs alone."
        ),
    ),
}


def block_label(layer: str, handle: str) -> str:
    """The name under which robots know the block; handle: of a persona's."""
    return f"{handle}_{layer}" if layer == Layer.SHARED else str(layer)


def block_description(layer: str, handle: str) -> str:
    return LAYER_RULES[Layer(layer)].description.format(handle=handle)


def initial_text(layer: str, *, handle: str, name: str) -> str:
    """The text of a block before anything is written. name: of the member who owns it."""
    match layer:
        case Layer.HUMAN:
            return (
                f"User name: {name}\n"
                "Personal facts about this user are still to be discovered. Role and KPIs belong "
                "in user_persona_profile."
            )
        case Layer.PROFILE:
            return "No persona of this user can be determined yet."
        case Layer.SHARED:
            return f"No experience of serving {handle} users has been gained yet."
    return ""


def normalise_line(text: str) -> str:
    """A text as a line of a block: every run of white space becomes one space, and nothing in it
    looks like another line (`memories.language.rendering.model_text`)."""
    return render_line(text)
