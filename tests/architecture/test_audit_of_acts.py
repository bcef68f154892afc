"""Every service that changes something for somebody says what it puts into the audit trail.

A new act fails here until it has an entry; an act that no longer records what its entry says fails
as well. tests/memories/test_audited.py plays the acts and looks at the rows.
"""

from tests.architecture.acts import acts

# Why an act records nothing.
LOOKS = "it looks: what it writes is undone, or a note that somebody looked"
WROTE = "the row itself keeps who wrote it, when and for whom"
JOB = "the job's beginning is recorded, and the job keeps what became of it"
PART = "a part of an act that records"
ASKED = "a question leaves its own record (memories_recall), without its text"
HELD = "a hold of some minutes in the queue"
OWN = "a view of one's own"
ROBOT = "a key with `manage` describes robots: the keys and their scopes are recorded"

ENTRIES: dict[str, tuple[str, ...] | str] = {
    "memories.services.browsing.detail": LOOKS,
    "memories.services.browsing.found": LOOKS,
    "memories.services.browsing.library": LOOKS,
    "memories.services.changing_many.change_one": (
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.shared",
    ),
    "memories.services.changing_many.undo_one": (
        "memory.edited",
        "memory.forced",
        "memory.restored",
    ),
    "memories.services.deciding.approve": (
        "memory.edited",
        "memory.forced",
        "memory.protected",
        "memory.shared",
        "proposal.*",
    ),
    "memories.services.deciding.merge": (
        "memory.edited",
        "memory.forced",
        "proposal.*",
    ),
    "memories.services.deciding.reject": ("proposal.*",),
    "memories.services.demo.removing.remove_demo": ("demo.removed",),
    "memories.services.disclosing.open_memory": ("support.opened",),
    "memories.services.disclosing.read_opened": ("support.read",),
    "memories.services.dividing.divide_memory": ("memory.divided",),
    "memories.services.dividing.foresee_division": LOOKS,
    "memories.services.forgetting.archive_memory": (
        "memory.archived",
        "memory.forced",
    ),
    "memories.services.forgetting.forget_memory": (
        "memory.forced",
        "memory.forgotten",
    ),
    "memories.services.forgetting.restore_memory": ("memory.restored",),
    "memories.services.hearing.promote_messages": (
        "memory.attributed",
        "memory.protected",
        "proposal.*",
        "proposal.red_line",
    ),
    "memories.services.history.restore_version": (
        "memory.edited",
        "memory.forced",
    ),
    "memories.services.inspecting.open_item": LOOKS,
    "memories.services.jobs.change_many": (
        "job.*",
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.restored",
        "memory.shared",
    ),
    "memories.services.jobs.enqueue": ("job.*",),
    "memories.services.jobs.finish": JOB,
    "memories.services.jobs.progress": JOB,
    "memories.services.jobs.requeue": JOB,
    "memories.services.jobs.retry": ("job.retried",),
    "memories.services.jobs.retry_embeddings": ("embedding.retried",),
    "memories.services.jobs.run_change": (
        "job.*",
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.restored",
        "memory.shared",
    ),
    "memories.services.jobs.undo": (
        "job.*",
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.restored",
        "memory.shared",
    ),
    "memories.services.joining.copy_to": PART,
    "memories.services.managing.edit_memory": (
        "memory.edited",
        "memory.forced",
    ),
    "memories.services.managing.note": PART,
    "memories.services.mine.bring_back": ("memories.restored",),
    "memories.services.mine.forget_all": ("memories.forgotten",),
    "memories.services.mine.withdraw_shared": ("memory.shared",),
    "memories.services.naming.change_entity": ("entity.changed",),
    "memories.services.naming.give_entity": ("entity.given",),
    "memories.services.naming.remove_entity": ("entity.removed",),
    "memories.services.patterns.set_sharing": (
        "pattern.withdrawn",
        "sharing.allowed",
        "sharing.stopped",
    ),
    "memories.services.proposing.ask": ("proposal.*",),
    "memories.services.proposing.propose_correction": ("proposal.*",),
    "memories.services.proposing.report_memory": ("proposal.*",),
    "memories.services.protecting.approve_wish": ("memory.protected",),
    "memories.services.protecting.draw": ("memory.protected",),
    "memories.services.protecting.lift": ("memory.unprotected",),
    "memories.services.protecting.protect_memory": (
        "memory.protected",
        "proposal.*",
    ),
    "memories.services.protecting.settle_wishes": (
        "memory.protected",
        "proposal.red_line",
    ),
    "memories.services.protecting.unprotect_memory": ("memory.unprotected",),
    "memories.services.recalling.recall": ASKED,
    "memories.services.recalling.serve": ASKED,
    "memories.services.red_lines.hold_red_line": ("memory.forced",),
    "memories.services.remembering.remember": (
        "memory.attributed",
        "memory.protected",
        "proposal.*",
        "proposal.red_line",
    ),
    "memories.services.remembering.remember_many": (
        "memory.attributed",
        "memory.protected",
        "proposal.*",
        "proposal.red_line",
    ),
    "memories.services.reviewing.assign": ("proposal.assigned",),
    "memories.services.reviewing.hold": HELD,
    "memories.services.reviewing.release": HELD,
    "memories.services.reviewing.take_hold": HELD,
    "memories.services.saving.keep_view": OWN,
    "memories.services.saving.remove_view": OWN,
    "memories.services.serving.record_served": ASKED,
    "memories.services.sharing.share_memory": (
        "memory.forced",
        "memory.shared",
    ),
    "memories.services.transfer.begin_import": ("job.*",),
    "memories.services.transfer.run_import": JOB,
    "memories.services.trying.ask_as": ("playground.asked",),
    "memories.services.unanswered.ask_again": ("restating.retried",),
    "memories.services.undoing.undo": (
        "memory.edited",
        "memory.forced",
        "memory.unprotected",
        "proposal.reopened",
    ),
    "orgs.preferences.opt_out_of_sharing": (
        "sharing.allowed",
        "sharing.stopped",
    ),
    "orgs.preferences.pause_learning": (
        "learning.paused",
        "learning.resumed",
    ),
    "orgs.preferences.set_time_zone": ("member.time_zone",),
    "orgs.services.invitations.invite_member": ("member.invited",),
    "orgs.services.invitations.join": ("member.joined",),
    "orgs.services.invitations.withdraw_invitation": ("member.uninvited",),
    "orgs.services.people.change_role": ("member.role",),
    "orgs.services.people.remove_member": ("member.removed",),
    "orgs.services.registry.set_confidential": ("group.*",),
    "orgs.services.registry.set_profile": ("group.*",),
    "robots.services.acting.delegate": ("delegation.given",),
    "robots.services.acting.revoke_delegation": ("delegation.revoked",),
    "robots.services.conversing.open_conversation": WROTE,
    "robots.services.directory.add_member": ("member.created",),
    "robots.services.directory.change_group": ("group.*",),
    "robots.services.directory.change_members": ("group.members",),
    "robots.services.directory.open_group": ("group.created",),
    "robots.services.directory.register": ("robot.registered",),
    "robots.services.hearing.post_messages": WROTE,
    "robots.services.identifying.confirm": (
        "identity.confirmed",
        "identity.linked",
        "identity.proven",
        "identity.unlinked",
    ),
    "robots.services.identifying.identities_of": (
        "identity.confirmed",
        "identity.linked",
        "identity.proven",
        "identity.unlinked",
    ),
    "robots.services.identifying.link": (
        "identity.confirmed",
        "identity.linked",
        "identity.proven",
        "identity.unlinked",
    ),
    "robots.services.identifying.unlink": ("identity.unlinked",),
    "robots.services.leaving.close_what_served": PART,
    "robots.services.registry.update_robot": ROBOT,
    "robots.services.seating.new_group": ("group.created",),
    "robots.services.seating.seat": ("group.members",),
    "robots.services.stewarding.add_robot": (
        "robot.registered",
        "robot.seated",
    ),
    "robots.services.stewarding.close_key": ("key.revoked",),
    "robots.services.stewarding.make_key": ("key.created",),
    "robots.services.stewarding.renew_key": ("key.renewed",),
    "robots.services.stewarding.seat_robot": ("robot.seated",),
    "robots.services.unsaying.say_all_again": PART,
    "robots.services.unsaying.unsay": PART,
    "robots.services.unsaying.unsay_all": PART,
}


def test_every_writing_service_has_an_entry() -> None:
    assert set(acts()) - set(ENTRIES) == set(), "say what they record, or why nothing"
    assert set(ENTRIES) - set(acts()) == set(), "these write nothing any more"


def test_every_service_records_what_its_entry_says() -> None:
    said = {name: set(e) if isinstance(e, tuple) else set() for name, e in ENTRIES.items()}
    wrong = {
        name: (sorted(actions), sorted(said[name]))
        for name, actions in acts().items()
        if name in said and set(actions) != said[name]
    }
    assert wrong == {}
