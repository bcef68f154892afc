"""Hooks of upper apps: folders for a backup, and what they do in a restore."""

from collections.abc import Callable, Sequence

from orgs.database.ledger import Entry

Say = Callable[[str], None]
Loaded = Callable[[Say], None]
Restored = Callable[[Sequence[Entry], Say], None]
_folders: list[str] = []
_loaded: list[Loaded] = []
_restored: list[Restored] = []


def keeps_folder(name: str) -> None:
    """Register a folder of DATA_DIR whose files go into a backup."""
    if name not in _folders:
        _folders.append(name)


def on_loaded(hook: Loaded) -> Loaded:
    """Register what makes again what no migration makes, for example indexes, before the site
    opens."""
    _loaded.append(hook)
    return hook


def on_restored(hook: Restored) -> Restored:
    """Register what erases again what the ledger names, before the site opens.

    The hook gets all entries. It must skip what is gone already, because it is called again after
    a failure. If it raises, the site stays closed.
    """
    _restored.append(hook)
    return hook


def folders() -> tuple[str, ...]:
    """The names given to `keeps_folder`."""
    return tuple(_folders)


def run_loaded(say: Say) -> None:
    """Call every hook of `on_loaded`."""
    for hook in _loaded:
        hook(say)


def run_restored(entries: Sequence[Entry], say: Say) -> None:
    """Call every hook of `on_restored`, in the order in which they were registered."""
    for hook in _restored:
        hook(entries, say)
