"""Errors of backup and restore, each with a sentence for the operator."""


class BackupError(Exception):
    """The message says what is wrong and what to do."""


class ConfirmationRequiredError(BackupError):
    """The restore would delete what is there; the message says how much."""
