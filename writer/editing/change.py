"""One change of a text, and what it does to places in it. Offsets count characters of the whole text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """At character `at`, `removed` characters went and `inserted` came. Of several, each holds after the last."""

    at: int
    removed: int
    inserted: str

    @property
    def end(self) -> int:
        """Where the inserted text ends, once it is there."""
        return self.at + len(self.inserted)

    def moved(self, offset: int, *, pushed: bool = False) -> int:
        """Where a place is afterwards. A place exactly where text is inserted stays before it, unless `pushed`."""
        if offset < self.at or (offset == self.at and (self.removed or not pushed)):
            return offset
        if offset >= self.at + self.removed:
            return offset + len(self.inserted) - self.removed
        return self.at
