"""The demo organisation: made once on a fresh machine, removed when somebody has seen enough."""

from memories.services.demo.making import OWN_SLUG, make_demo, make_home
from memories.services.demo.removing import NotADemo, remove_demo

__all__ = ["OWN_SLUG", "NotADemo", "make_demo", "make_home", "remove_demo"]
