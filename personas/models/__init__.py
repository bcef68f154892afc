"""The tables of this app. The registry is for Django: callers import the defining module."""

from personas.models.blocks import Block, BlockLine, BlockRobot, BlockVersion, Layer
from personas.models.personas import Association, Persona, ToolOutcome
from personas.models.suggestions import Suggestion, SuggestionState

__all__ = [
    "Association",
    "Block",
    "BlockLine",
    "BlockRobot",
    "BlockVersion",
    "Layer",
    "Persona",
    "Suggestion",
    "SuggestionState",
    "ToolOutcome",
]
