"""What the command palette shows: a name, a line of help, and what is called."""

from __future__ import annotations

from collections.abc import Callable

Command = tuple[str, str, Callable[[], object]]
