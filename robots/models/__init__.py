from robots.models.delegations import Delegation
from robots.models.keys import Key, KeyScope
from robots.models.robots import Robot, RobotGroup

__all__ = ["Delegation", "Key", "KeyScope", "Robot", "RobotGroup"]
