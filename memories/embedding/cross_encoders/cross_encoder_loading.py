"""The one instance of the cross-encoder that a process keeps."""

import os
import threading

from django.conf import settings

from memories.embedding.cross_encoders.cross_encoder import CrossEncoder, ModelMissingError
from memories.embedding.wheel_models.wheel_catalogue import CROSS_ENCODER

_loaded: dict[str, CrossEncoder] = {}
_lock = threading.Lock()


def get_cross_encoder() -> CrossEncoder:
    """The process's cross-encoder, loaded on first use; its name is the setting RERANKER.

    Raises ModelMissingError. A missing model is looked for again at each call, so one that is
    installed later needs no restart.
    """
    name = str(getattr(settings, "RERANKER", CROSS_ENCODER))
    found = _loaded.get(name)
    if found is None:
        with _lock:
            found = _loaded.get(name)
            if found is None:
                found = _loaded[name] = _build(name)
    return found


def _build(name: str) -> CrossEncoder:
    # Imported here, so that processes without a cross-encoder do not load the library.
    if name == "fake":
        from memories.embedding.cross_encoders.fake_cross_encoder import FakeCrossEncoder

        return FakeCrossEncoder()
    if name == CROSS_ENCODER:
        from memories.embedding.cross_encoders.ms_marco import MsMarcoCrossEncoder

        return MsMarcoCrossEncoder()
    raise ModelMissingError(f"no cross-encoder is called {name!r}")


def _reset_after_fork() -> None:
    # A child inherits the model's memory but not its threads, and would wait for them for ever.
    global _lock  # noqa: PLW0603 - the parent may have held it when it forked
    _lock = threading.Lock()
    _loaded.clear()


os.register_at_fork(after_in_child=_reset_after_fork)
