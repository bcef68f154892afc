"""What happens to a memory: it is archived, forgotten, restored, deleted or superseded, with
all that follows from it. Rights and audit entries stay with the act that asks for it."""
