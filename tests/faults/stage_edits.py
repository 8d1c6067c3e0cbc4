"""Other programs change a chapter while the author types and a text streams into it: no side loses a word.

A history is some twenty random steps of a front end, a stream and other programs on one real file, through the real
`Chapters`; at its end every word that was inserted and not taken out by its own side is in the chapter, in a copy
beside it or among its versions, none is in the chapter twice, and front end and file are the same.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

from edits_others import Others
from edits_window import CHAPTER, Window, words
from outcome import Outcome

from writer.generation.model import SpanRecord
from writer.manuscript import atomic
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.exchange import exchange
from writer.manuscript.merge import Merged, merge
from writer.manuscript.versions import Versions
from writer.runtime import places, saving
from writer.runtime.events import ChapterMerged, Event, SaveRefused
from writer.runtime.lineage import Lineage
from writer.runtime.recovery import place
from writer.runtime.saving import Chapters

NAME, FULL, ROOT = "edits", 10_000, False
MUTANT_HISTORIES = 2_000  # by then a mistake has been found, or the stage has missed it
_BASE = "# b1\n\nb2 b3 b4\n\nb5 b6\n\nb7\n"


class History:
    """One random history, on a folder of its own."""

    def __init__(self, folder: Path, rnd: random.Random) -> None:
        self._rnd = rnd
        self._folder = folder
        (folder / "chapters").mkdir(parents=True)
        self._path = folder / CHAPTER
        self._path.write_text(_BASE if rnd.random() < 0.8 else "")
        self._file = ChapterFile(self._path, backup_dir=folder / "records")
        loaded = self._file.read()
        self.window = Window(loaded.text, rnd)
        self.others = Others(self._path, rnd)
        self.spans: list[SpanRecord] = []
        self.versions = Versions(folder / "versions")
        self.disturbed: set[str] = set()
        self.chapters = Chapters(
            lambda chapter: self._file, self.versions, self, self._hear, disturbed=self.disturbed.add, quiet=0.0
        )
        self.chapters.opened(CHAPTER, loaded)
        self.merges = self.conflicts = 0
        self._count = 0
        self._busy = False

    def record(self, span: SpanRecord, *, on_disk: str = "") -> None:
        """The journal of places. Between a record and its file another program may write."""
        self.spans.insert(0, span)
        self.slip_in(0.05)

    def slip_in(self, chance: float) -> None:
        """Perhaps another program writes at this very moment."""
        if self._busy and self._rnd.random() < chance:
            self.others.write(self._seen())

    def _seen(self) -> str:
        return self.chapters._lines[CHAPTER].disk.text

    def _hear(self, event: Event) -> None:
        if isinstance(event, ChapterMerged):
            self.window.heard.append(event)
            self.merges += 1
        elif isinstance(event, SaveRefused):
            self.conflicts += bool(event.kept_as)

    async def run(self) -> list[str]:
        """What was lost, doubled or misplaced."""
        waiting: list[asyncio.Task[bool]] = []
        self._busy = True
        for _ in range(self._rnd.randrange(6, 30)):
            await self._step(waiting)
            if wrong := self._misplaced():
                return [wrong]
        self._busy = False
        self.others.rest()
        await asyncio.gather(*waiting)
        for _ in range(6):
            self.window.take_over()
            await self.chapters.save(self.window.order())
            await self.chapters.look(CHAPTER)
        return list(self._wrong())

    async def _step(self, waiting: list[asyncio.Task[bool]]) -> None:
        window, kind = self.window, self._rnd.random()
        self._count += 1
        if kind < 0.2:
            window.type(f"a{self._count}")
        elif kind < 0.25:
            window.begin(f"generation {self._count}")
        elif kind < 0.45:
            window.stream(f"g{self._count}")
        elif kind < 0.6:
            self.others.write(self._seen())
        elif kind < 0.65:
            self.others.load()
        elif kind < 0.85:
            waiting.append(asyncio.ensure_future(self.chapters.save(window.order())))
            if self._rnd.random() < 0.7:
                await asyncio.gather(*waiting)
        elif kind < 0.92:
            await self.chapters.look(CHAPTER)
        else:
            window.take_over()

    # --- what must hold ----------------------------------------------------------------------------------------

    def _misplaced(self) -> str:
        """Whether a crash now would put the rest of the generated text at a wrong place."""
        window = self.window
        if window.span is None or window.touched or not self._path.exists():
            return ""
        found = self._file.read()
        spans = [span for span in self.spans if span.generation == window.span.generation]
        if window.span.generation in self.disturbed or found.sha256 not in [span.file_sha256 for span in spans]:
            return ""
        placed = place(found.text, found.sha256, window.generated, spans)
        if placed is None or placed.text[placed.start : placed.end] != window.generated:
            return f"generated text at a wrong place: {placed} of {window.generated!r}"
        return ""

    def _wrong(self) -> Iterator[str]:
        chapter = self._file.read().text
        if chapter.replace("\r\n", "\n") != self.window.text.replace("\r\n", "\n"):
            yield f"front end and file differ: {self.window.text!r} and {chapter!r}"
        if twice := [word for word, count in Counter(words(chapter)).items() if count > 1]:
            yield f"twice in the chapter: {twice}"
        kept = set(words(chapter))
        for copy in self._path.parent.glob("* (*).md"):
            kept |= set(words(copy.read_text()))
        for version in self.versions.listing(CHAPTER):
            kept |= set(words(self.versions.read(version).decode()))
        for whose, side in (("the author's", self.window), ("the others'", self.others)):
            if lost := sorted(side.inserted - side.deleted - self.window.deleted - kept):
                yield f"{whose} words are lost: {lost}"


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """That many histories, and every mistake until it is found."""
    begun = time.monotonic()
    totals: Counter[str] = Counter()
    failures = tuple(histories(count, seed, scratch, totals))
    caught = {name: next(histories(MUTANT_HISTORIES, seed, scratch, Counter(), plant), "") for name, plant in MUTANTS}
    notes = {name: f"{number:,}" for name, number in totals.items()}
    notes["seconds"] = f"{time.monotonic() - begun:.0f}"
    notes["mutants"] = ", ".join(f"{name}: {found.split(':')[0] or 'missed'}" for name, found in caught.items())
    return Outcome(NAME, count, failures, len(caught), sum(map(bool, caught.values())), notes=notes)


def histories(
    count: int, seed: int, scratch: Path, totals: Counter[str], plant: Callable[[ExitStack], object] | None = None
) -> Iterator[str]:
    """What was wrong in each of so many histories. Nothing is synced: durability is not what is tried here."""
    folder = scratch / "edits"
    with asyncio.Runner() as runner, ExitStack() as stack:
        stack.enter_context(mock.patch.object(os, "fsync", return_value=None))
        stack.enter_context(mock.patch.object(saving, "_log"))
        if plant is not None:
            plant(stack)
        for number in range(count):
            history = History(folder, random.Random(f"{seed} {number}"))

            def late(one: Path, other: Path, history: History = history) -> bool:
                history.slip_in(0.1)
                return _exchange(one, other)

            with mock.patch.object(atomic, "exchange", late):
                wrong = runner.run(history.run())
            totals["merges told"] += history.merges
            totals["copies kept beside"] += history.conflicts
            shutil.rmtree(folder)
            yield from (f"history {number} of seed {seed}: {sentence}" for sentence in wrong)


# --- mistakes that must be found ---------------------------------------------------------------------------------


def _blind(stack: ExitStack) -> None:
    """Saves over whatever lies there."""
    look = lambda self, known, path=None: (path or self._target).read_bytes()  # noqa: E731
    stack.enter_context(mock.patch.object(ChapterFile, "_unchanged", look))


def _ours_only(stack: ExitStack) -> None:
    """Takes our text for the merged one."""
    stack.enter_context(mock.patch.object(Lineage, "joined", lambda self, text, theirs: Merged(text, (), False)))


def _forgetful(stack: ExitStack) -> None:
    """Takes a front end's text for complete that has not taken over what another program wrote."""
    stack.enter_context(mock.patch.object(Lineage, "completed", lambda self, text: Merged(text, (), False)))


def _naive(stack: ExitStack) -> None:
    """Takes the last saved text for what every other program has had in hand, and keeps no versions."""
    joined = lambda self, text, theirs: merge(self.disk.text, text, theirs)  # noqa: E731
    stack.enter_context(mock.patch.object(Lineage, "joined", joined))
    _no_versions(stack)


def _theirs_only(stack: ExitStack) -> None:
    """Lets the other side win an overlap."""

    def joined(self: Lineage, text: str, theirs: str) -> Merged:
        return _joined(self, text, theirs) or Merged(theirs, ((0, len(text), theirs),), False)

    stack.enter_context(mock.patch.object(Lineage, "joined", joined))


def _standing(stack: ExitStack) -> None:
    """Leaves the place of the generated text where it was."""
    stack.enter_context(mock.patch.object(places, "_moved", lambda span, edits: span))


def _renaming(stack: ExitStack) -> None:
    """Renames over what slipped in since the last look."""
    stack.enter_context(mock.patch(f"{__name__}._exchange", return_value=False))


async def _nothing_kept(*words: object) -> bool:
    return True


def _no_versions(stack: ExitStack) -> None:
    """Keeps no version of what a merge takes out."""
    stack.enter_context(mock.patch.object(Chapters, "_losses_kept", _nothing_kept))


_exchange = exchange
_joined = Lineage.joined
MUTANTS: tuple[tuple[str, Callable[[ExitStack], None]], ...] = (
    ("saves blindly", _blind),
    ("our text only", _ours_only),
    ("their text only", _theirs_only),
    ("forgets what was not taken over", _forgetful),
    ("trusts a stale program", _naive),
    ("keeps no versions", _no_versions),
    ("does not move the place", _standing),
    ("renames without a second look", _renaming),
)
