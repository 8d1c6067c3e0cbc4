"""The names of all commands, so that `writer DIR` can be told from `writer COMMAND` without importing them."""

from __future__ import annotations

COMMANDS = {
    "new": "writing",
    "draft": "writing",
    "resume": "writing",
    "takes": "takes",
    "rewrite": "rewriting",
    "recipes": "recipes",
    "plan": "plan",
    "summarise": "summarising",
    "chapters": "chapters",
    "export": "exchanging",
    "import": "exchanging",
    "search": "searching",
    "notes": "searching",
    "status": "looking",
    "doctor": "looking",
    "engine": "engine",
    "models": "models",
    "config": "config",
    "completion": "completion",
    "state": "state",
}
"""Command → the module of it. A function there has the command's name, with an underscore if Python owns the word."""
