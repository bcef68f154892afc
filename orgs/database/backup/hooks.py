"""Hooks of upper apps: folders for a backup, and what they do in a restore."""

from collections.abc import Callable, Sequence

from orgs.database.erasure_ledger import LedgerEntry

Reporter = Callable[[str], None]
LoadHook = Callable[[Reporter], None]
RestoreHook = Callable[[Sequence[LedgerEntry], Reporter], None]
_folders: list[str] = []
_load_hooks: list[LoadHook] = []
_restore_hooks: list[RestoreHook] = []


def register_backup_folder(name: str) -> None:
    """Register a folder of DATA_DIR whose files go into a backup."""
    if name not in _folders:
        _folders.append(name)


def register_load_hook(hook: LoadHook) -> LoadHook:
    """Register what makes again what no migration makes, for example indexes, before the site
    opens."""
    _load_hooks.append(hook)
    return hook


def register_restore_hook(hook: RestoreHook) -> RestoreHook:
    """Register what erases again what the ledger names, before the site opens.

    The hook gets all entries. It must skip what is gone already, because it is called again after
    a failure. If it raises, the site stays closed.
    """
    _restore_hooks.append(hook)
    return hook


def backup_folders() -> tuple[str, ...]:
    """The names given to `register_backup_folder`."""
    return tuple(_folders)


def run_load_hooks(say: Reporter) -> None:
    """Call every hook of `register_load_hook`."""
    for hook in _load_hooks:
        hook(say)


def run_restore_hooks(entries: Sequence[LedgerEntry], say: Reporter) -> None:
    """Call every hook of `register_restore_hook`, in the order in which they were registered."""
    for hook in _restore_hooks:
        hook(entries, say)
