"""One answer of the doctor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`bad` means that writing does not work, `warn` that something is worth knowing. Both name a next step."""

    subject: str
    state: State
    sentence: str
    next_step: str = ""


def gigabytes(size: int) -> str:
    """ "1.5 GB" """
    return f"{size / 1e9:.1f} GB"
