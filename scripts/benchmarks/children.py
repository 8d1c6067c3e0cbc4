"""Asks a new Python process, where nothing is imported or kept from an earlier measurement."""

from __future__ import annotations

import subprocess
import sys


def answer(code: str, *arguments: str) -> str:
    """The last line that this code prints. Raises CalledProcessError if it fails."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout.removesuffix("\n").rpartition("\n")[2]
