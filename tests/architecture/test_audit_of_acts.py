"""Every service that changes something for somebody says what it puts into the audit trail.

A new act fails here until it has an entry; an act that no longer records what its entry says fails
as well. tests/memories/insights/test_audited_acts.py plays the acts and looks at the rows.
"""

from tests.architecture.audit_entries import ENTRIES as BELOW
from tests.architecture.audit_entries_curation import OF_CURATION
from tests.architecture.audit_entries_personas import PERSONA_ENTRIES
from tests.architecture.service_actions import writing_actions

ENTRIES = {**BELOW, **OF_CURATION, **PERSONA_ENTRIES}


def test_every_writing_service_has_an_entry() -> None:
    assert set(writing_actions()) - set(ENTRIES) == set(), "say what they record, or why nothing"
    assert set(ENTRIES) - set(writing_actions()) == set(), "these write nothing any more"


def test_every_service_records_what_its_entry_says() -> None:
    said = {name: set(e) if isinstance(e, tuple) else set() for name, e in ENTRIES.items()}
    wrong = {
        name: (sorted(actions), sorted(said[name]))
        for name, actions in writing_actions().items()
        if name in said and set(actions) != said[name]
    }
    assert wrong == {}
