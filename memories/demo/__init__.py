"""The demo organisation: made once on a fresh machine, removed when somebody has seen enough."""

from memories.demo.make import OWN_SLUG, make_demo, make_home
from memories.demo.remove import NotADemo, remove_demo

__all__ = ["OWN_SLUG", "NotADemo", "make_demo", "make_home", "remove_demo"]
