"""Whose words the parts of a decision give; see `memories.store.speakers.attribution`."""

from memories.curation.decision_records.models import Claim, Dissent, Participant
from memories.store.speakers.attribution import Attribution, Writer, marked_name


def attribution_of_dissent(said: Dissent) -> Attribution:
    """Whose words a dissent gives, and who noted it. A robot's words are its own only if it noted
    them itself."""
    noted = Writer.of(said.noted_by, said.known(said.noted_by_robot))
    own = said.robot_id is not None and said.robot_id == said.noted_by_robot_id
    return Attribution(
        writer=noted, speaker=said.member, name="" if own or said.member_id else said.called
    )


def answerer_of(said: Dissent) -> Writer:
    """Who answered a dissent."""
    return Writer.of(said.answered_by, said.known(said.answered_by_robot))


def shown_name(said: Participant | Claim | Dissent) -> str:
    """The present name of somebody in a record, for people; marked if nobody here has it."""
    return said.called if said.member_id or said.robot_id else marked_name(said.name)
