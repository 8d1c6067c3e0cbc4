"""The database library. It comes without numpy and pandas, which it would load only because they are installed.

It takes their numbers for columns; we store none. They cost a tenth of a second of every start, and 13 MB or more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _without(*names: str) -> Iterator[None]:
    """These modules cannot be imported meanwhile, by no thread. Those that are loaded already stay."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: the import system's own word for it
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


with _without("numpy", "pandas"):
    from sqlite_utils import Database as Database
    from sqlite_utils.migrations import Migrations as Migrations
