"""Facts about summaries that were asked for from the app. `events` passes them on with all others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SummaryWritten:
    """The summary of this chapter is kept in the file `path`, from the manuscript's folder."""

    chapter: str
    path: str


@dataclass(frozen=True, slots=True)
class SummaryStopped:
    """There is no new summary. Without a sentence it was paused: the next order goes on with it."""

    chapter: str
    sentence: str = ""
