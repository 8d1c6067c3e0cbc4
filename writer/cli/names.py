"""The names of all commands, so that `writer DIR` can be told from `writer COMMAND` without importing them."""

from __future__ import annotations

COMMANDS = (
    "new",
    "draft",
    "resume",
    "takes",
    "rewrite",
    "recipes",
    "plan",
    "summarise",
    "chapters",
    "export",
    "import",
    "search",
    "notes",
    "status",
    "doctor",
    "engine",
    "models",
    "config",
    "completion",
    "state",
)
