"""What the capabilities above give to a backup and do after a restore."""

from collections.abc import Callable, Sequence

from orgs.database.ledger import Entry

Say = Callable[[str], None]
Loaded = Callable[[Say], None]
Restored = Callable[[Sequence[Entry], Say], None]
_folders: list[str] = []
_loaded: list[Loaded] = []
_restored: list[Restored] = []


def keeps_folder(name: str) -> None:
    """The files of this folder of DATA_DIR go into a backup."""
    if name not in _folders:
        _folders.append(name)


def on_loaded(hook: Loaded) -> Loaded:
    """Make again what no migration makes, for example indexes; before anybody is let in."""
    _loaded.append(hook)
    return hook


def on_restored(hook: Restored) -> Restored:
    """Erase again what the ledger names, before anybody is let in.

    The hook gets every entry and must do nothing for what is gone already: it is called again
    after a failure. If it raises, the site stays closed.
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
