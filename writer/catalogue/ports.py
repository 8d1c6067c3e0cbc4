"""What a front end may ask about models. Every call blocks, some for hours: they belong into a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from writer.catalogue.values import Fit, Machine, Offer, Progress, Shelved, Suggestion


@dataclass(frozen=True, slots=True)
class Shelf:
    """All at once: the machine, what is on it, and what would fit."""

    machine: Machine
    models: tuple[Shelved, ...]
    suggestions: tuple[Suggestion, ...]
    server: str = ""  # its address, if one writes in the place of a model of this machine


class Fetching(Protocol):
    """One download, from the question to the folder."""

    def ask(self, hub: str) -> Offer:
        """What the hub says of it. This goes out. Raises WriterError."""
        ...

    def fetch(self, offer: Offer, report: Callable[[Progress], None]) -> str:
        """Download, and the name that `use` takes. Goes on where it had stopped. Raises WriterError, CalledOff."""
        ...

    def cancel(self) -> None:
        """Stop, from any thread; what has come is kept."""
        ...


class Models(Protocol):
    """The models of this machine."""

    host: str
    """Whom a download speaks to."""

    def look(self, language: str = "") -> Shelf:
        """What is here, and what fits and speaks the language. Fetches nothing. Raises WriterError."""
        ...

    def fetching(self) -> Fetching:
        """A new download."""
        ...

    def judge(self, offer: Offer) -> Fit:
        """Whether it will fit."""
        ...

    def use(self, model: Shelved | str) -> str:
        """Write with it from the next start on: a sentence that says so. Raises WriterError."""
        ...

    def use_server(self, url: str) -> str:
        """Write with the server of this address: a sentence that says so. Raises WriterError."""
        ...

    def remove(self, model: Shelved) -> None:
        """Erase what writer made. Raises WriterError if it is not ours, or writes just now."""
        ...


class CalledOff(Exception):
    """The author does not want it any more. What has come is kept."""
