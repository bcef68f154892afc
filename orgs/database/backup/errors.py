"""What can go wrong with a backup or a restore, in a sentence for the operator."""


class BackupError(Exception):
    """The message says what is wrong and what to do."""


class NeedsYes(BackupError):
    """The restore would delete what is there; the message says how much."""
