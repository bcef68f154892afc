"""What each kind of block is for, how long it may be, and how it begins. Pure."""

from dataclasses import dataclass

from memories.language.rendering.model_text import render_line
from personas.models.blocks import Layer

PROFILE_LABEL, HUMAN_LABEL, AGENT_LABEL = "user_persona_profile", "human", "agent_persona"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRules:
    """limit: of the text, in characters. personal: whether it may hold personal data.

    What robots are told: belongs, never: what belongs there and what must not stand there.
    examples: lines as they should be. write_when: when to write one. hint: all of that in a few
    words, for a context. Empty where robots only read.
    """

    limit: int
    personal: bool
    description: str
    belongs: str
    never: str
    examples: tuple[str, ...] = ()
    write_when: str = ""
    hint: str = ""


WRITE_WHEN = (
    "After a task of several steps, when a pattern shows for the second time, and when somebody "
    "has confirmed a workflow."
)
LAYER_RULES = {
    Layer.AGENT: LayerRules(
        limit=2_000,
        personal=False,
        description=(
            "How every robot of the organisation works and speaks. Admins write it; robots read it."
        ),
        belongs="Rules for every robot, whomever it serves.",
        never="What a robot learned, and anything about one person.",
        examples=("Answer in the language in which you are asked.",),
    ),
    Layer.GLOBAL: LayerRules(
        limit=8_000,
        personal=False,
        description=(
            "What all robots learned about serving anybody here, whatever their profession. Robots "
            "add lines; those who curate change them. What holds for one profession belongs in its "
            "service_experience."
        ),
        belongs="Workflows and rules of thumb that hold for everyone in the organisation.",
        never="Names of people, places, clients or companies, findings, and what holds for one "
        "profession alone.",
        examples=("Ask for the period before a report is made.",),
        write_when=WRITE_WHEN,
        hint="what helps whomever you serve, without names or findings; write one after a task of "
        "several steps, a pattern or a confirmed workflow",
    ),
    Layer.HUMAN: LayerRules(
        limit=3_000,
        personal=True,
        description=(
            "Facts about this one person. Only they and their personal robot read it, so personal "
            "facts belong here. What they do for a living belongs in user_persona_profile."
        ),
        belongs="Personal facts that hold for longer: what they like, whom they name, how to talk.",
        never="Passwords, what was true once, and how they work in their profession.",
        examples=("Prefers short answers.", "Takes Fridays off."),
        write_when="Once they have told it or corrected it; a line for each fact.",
        hint="personal facts of this user that last; write one once they have told it",
    ),
    Layer.PROFILE: LayerRules(
        limit=5_000,
        personal=False,
        description=(
            "How this person works in their persona: goals, figures that count, habits. Name no "
            "person, place, client or company; personal facts belong in human."
        ),
        belongs="Goals, the figures that they look at, the order in which they work.",
        never="Names of people, places, clients and companies; findings; personal facts.",
        examples=("Goal: two new sites a quarter.", "Looks at visits before revenue."),
        write_when=WRITE_WHEN,
        hint="goals, figures and habits of work without names; write one after a task of several "
        "steps",
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
        belongs="Patterns of questions, workflows that worked, the figures that count.",
        never="Names of people, places, clients or companies, and what one user found.",
        examples=(
            "They ask for the trend before the figure.",
            "Compare with the same month of last year first; this was confirmed twice.",
        ),
        write_when=WRITE_WHEN,
        hint="patterns and workflows that help all {handle} users, without names or findings; "
        "write one after a task of several steps, a pattern or a confirmed workflow",
    ),
}


def block_label(layer: str, handle: str) -> str:
    """The name under which robots know the block; handle: of a persona's."""
    return f"{handle}_{layer}" if layer == Layer.SHARED else str(layer)


def block_hint(layer: str, handle: str) -> str:
    """What robots are told of the block in a context; empty where they only read."""
    return LAYER_RULES[Layer(layer)].hint.format(handle=handle)


def block_description(layer: str, handle: str) -> str:
    return LAYER_RULES[Layer(layer)].description.format(handle=handle)


def name_line(name: str) -> str:
    """The first line of a human block, which the product writes and no edit takes away."""
    return render_line(f"User name: {name}")


def initial_text(layer: str, *, handle: str, name: str) -> str:
    """The text of a block before anything is written. name: of the member who owns it."""
    match layer:
        case Layer.HUMAN:
            return (
                f"{name_line(name)}\n"
                "Personal facts about this user are still to be discovered. Role and KPIs belong "
                "in user_persona_profile."
            )
        case Layer.PROFILE:
            return "No persona of this user can be determined yet."
        case Layer.SHARED:
            return f"No experience of serving {handle} users has been gained yet."
        case Layer.GLOBAL:
            return "No experience that helps everybody has been gained yet."
    return ""


def normalise_line(text: str) -> str:
    """A text as a line of a block: every run of white space becomes one space, and nothing in it
    looks like another line (`memories.language.rendering.model_text`)."""
    return render_line(text)
