"""The desk: where an order becomes a generation. Joins engine, journal and chapter files for any front end.

Runs on one event loop in one thread, which alone touches the database. Reports facts through `notify`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from writer.config import Settings
from writer.engine.base import Engine, EngineSource
from writer.errors import EngineError, ManuscriptError, NotResumable, StateDamaged, StateFull, StorageError, WriterError
from writer.generation.model import Generation, Sampling, Saved, State, StopCause
from writer.generation.resume import splice
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.lock import ManuscriptLock
from writer.manuscript.model import Manuscript
from writer.manuscript.versions import Versions
from writer.runtime import comparing
from writer.runtime.drafting import Outcome, room_for
from writer.runtime.endings import Endings
from writer.runtime.engine_room import EngineRoom
from writer.runtime.events import DeskOpened, GenerationFailed, GenerationPaused, Noted, Offer
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder, Span
from writer.runtime.outside import Outside
from writer.runtime.prompting import fresh_sampling, prompt_ids
from writer.runtime.recovery import recover, write_back
from writer.runtime.runner import Notify
from writer.runtime.saving import Chapters
from writer.runtime.suspending import Suspendable
from writer.storage.state_file import StateFile


@dataclass(frozen=True, slots=True)
class Means:
    """All that a desk is built from."""

    manuscript: Manuscript
    settings: Settings
    state: StateFile
    source: EngineSource
    lock: ManuscriptLock
    state_dir: Path
    versions: Versions
    notify: Notify
    patience: int | None = None  # tries of a refused commit before giving up; None is for ever


class Desk:
    """One manuscript, open for writing. Methods are coroutines of one loop; `pause` may be called at any time in it."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._notify = means.notify
        self._room = EngineRoom(means.source, means.notify)
        engine = means.settings.engine
        self._drafting = Suspendable(means.state, self._room, means.notify, engine, patience=means.patience)
        self.chapters = Chapters(self._file, means.versions, means.state.spans, means.notify, disturbed=self._disturbed)
        self.outside = Outside(means.manuscript.folder, means.state_dir, self.chapters, means.notify)
        self._endings = Endings(means.state, self._file)
        self._turn = asyncio.Lock()
        self._writing: set[asyncio.Task[Outcome]] = set()
        self._warming: asyncio.Task[Engine] | None = None
        self._files: dict[str, ChapterFile] = {}
        self._closed = False
        self._warned: set[str] = set()  # generations whose author has been told that the model changed

    async def open(self) -> DeskOpened:
        """Reconciles and recovers; every chapter file holds all that was shown once this has returned."""
        state = self._means.state
        state.reconcile()
        notes = [*state.notes, *self.outside.notes()]
        offers: list[Offer] = []
        for generation in state.generations.unsealed():
            try:
                offer = self._recovered(generation)
            except StateDamaged as error:  # one bad row must not lock the author out
                notes.append(f"{error.sentence} Your chapters are untouched; `writer state check` tells more.")
                continue
            except (ManuscriptError, StateFull) as error:  # its text stays in the state, and the next start tries again
                notes.append(error.sentence)
                self._endings.spare(generation.id)
                continue
            if offer is not None and generation.state.resumable:
                offers.append(offer)
            elif offer is not None and offer.note:
                notes.append(offer.note)
        offers.sort(key=lambda offer: offer.stopped_at, reverse=True)
        opened = DeskOpened(tuple(offers), await self._room.status(), tuple(notes))
        self._notify(opened)
        self._drafting.power.start()
        await self.outside.start()
        return opened

    async def draft(self, order: DraftOrder, sampling: Sampling | None = None) -> Outcome:
        """A new generation at the end of the chapter."""
        self.chapters.ordered(order.chapter, order.merged)
        return await self._run(self._draft(order, sampling or self.sampling()), "")

    async def resume(self, order: ResumeOrder) -> Outcome:
        """Goes on with a generation at its very next token; from the author's words if he changed the text."""
        self.chapters.ordered(order.chapter, order.merged)
        return await self._run(self._resume(order), order.generation)

    def pause(self) -> None:
        """Stops what is being written."""
        for task in self._writing:
            task.cancel()

    def _disturbed(self, generation: str) -> None:
        """Another program changed its text: what is written now would go on from words that are not there."""
        if self._means.state.generations.generation(generation).state is State.RUNNING:
            self.pause()

    async def save(self, order: SaveOrder) -> bool:
        """Saves a chapter; the answer is also reported."""
        saved = await self.chapters.save(order)
        if saved:
            with suppress(StorageError):  # sealing can wait for the next start
                for span in order.spans:
                    self._endings.settle(span)
        return saved

    def keep(self, generation: str) -> None:
        """The text stays as it is; it is not offered again."""
        self._endings.keep(generation)

    def discard(self, generation: str) -> None:
        """The author takes the text out of the chapter; the journal keeps it."""
        self._means.state.generations.mark(generation, State.FINISHED, reason="discarded")
        self.chapters.new_version(self._means.state.generations.generation(generation).chapter)

    def undiscard(self, generation: str) -> None:
        """Takes a discard back."""
        self._means.state.generations.mark(generation, State.PAUSED)

    async def warm_up(self) -> None:
        """Starts or attaches the engine ahead of the first order."""
        self._warming = asyncio.ensure_future(self._room.ready())
        try:
            await self._warming
        except asyncio.CancelledError:
            pass  # the author leaves
        except EngineError as error:
            self._notify(GenerationFailed("", 0, error.sentence))

    def stop_warming(self) -> None:
        """Gives up a warm-up that is under way, and listens to nothing outside: leaving waits for nothing."""
        self._drafting.power.stop()
        self.outside.stop()
        if self._warming is not None:
            self._warming.cancel()

    async def close(self) -> None:
        """Pauses, gives the engine's lease back, closes the state and the lock. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self.stop_warming()
        self.pause()
        await asyncio.gather(*self._writing, return_exceptions=True)
        await self.chapters.rest()
        try:
            await self._room.leave(stop=self._means.settings.engine.after_quit == "stop")
        finally:
            with suppress(StorageError):  # a full disk: the next start takes this run for a killed one, rightly
                self._means.state.close()
            self._means.lock.release()

    def sampling(self) -> Sampling:
        """The settings in force, with a fresh seed."""
        return fresh_sampling(self._means.settings.writing)

    # --- orders ------------------------------------------------------------------------------------------------

    async def _run(self, work: Coroutine[Any, Any, Outcome], generation: str) -> Outcome:
        if any(not task.cancelling() for task in self._writing):  # two texts at one place would not stay apart
            work.close()
            sentence = "Something is being written already. Pause it first, or wait until it has ended."
            self._notify(GenerationFailed(generation, 0, sentence))
            return Outcome(None, 0, sentence)
        task = asyncio.ensure_future(self._in_turn(work))
        self._writing.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            self._notify(GenerationPaused(generation, 0))
            return Outcome(None, 0, "paused", paused=True)
        except WriterError as error:
            self._notify(GenerationFailed(generation, 0, error.sentence))
            return Outcome(None, 0, error.sentence)
        finally:
            self._writing.discard(task)

    async def _in_turn(self, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        """After what is being paused has stopped, or its last words would come after our first."""
        try:
            async with self._turn:
                return await work
        finally:
            work.close()  # if it was paused before its turn

    async def _draft(self, order: DraftOrder, sampling: Sampling) -> Outcome:
        self.chapters.new_version(order.chapter)
        await self._saved(order.chapter, order.text)
        ids = await self._room.alive(lambda engine: self._prompt(engine, order))
        engine = await self._room.ready()
        return await self._begin(engine, order.chapter, order.text, ids, len(order.text), sampling, order.instruction)

    async def _begin(
        self, engine: Engine, chapter: str, text: str, ids: tuple[int, ...], start: int, sampling: Sampling, wish: str
    ) -> Outcome:
        room_for(engine, len(ids), sampling.max_tokens)
        generation = self._means.state.generations.begin(
            chapter=chapter,
            prompt_ids=ids,
            sampling=sampling,
            fingerprint=engine.facts.fingerprint,
            instruction=wish,
        )
        try:
            self._endings.supersede(chapter, generation.id)
            await self._saved(chapter, text, Span(generation.id, start, start, 0))
        except (asyncio.CancelledError, WriterError):  # nothing is written yet, but it can go on
            with suppress(StorageError):
                self._means.state.generations.mark(generation.id, State.PAUSED, cause=StopCause.PAUSED)
            raise
        return await self._drafting.write_on(generation.id, start)

    async def _resume(self, order: ResumeOrder) -> Outcome:
        state = self._means.state.generations
        generation, saved = state.generation(order.generation), state.load(order.generation)
        if not generation.state.resumable:
            raise NotResumable("This text has ended. Press Ctrl+G at the end of the chapter to write on.")
        engine = await self._room.ready()
        same = await self._compared(engine, generation, saved)
        if same and order.text[order.start : order.end] == saved.text and not order.text[order.end :].strip():
            await self._saved(order.chapter, order.text, Span(generation.id, order.start, order.end, len(saved.text)))
            return await self._drafting.write_on(generation.id, order.start)
        return await self._go_on_from_edit(generation, saved, order, same=same)

    async def _go_on_from_edit(self, old: Generation, saved: Saved, order: ResumeOrder, *, same: bool) -> Outcome:
        """The author changed the text: what stands before the change keeps its ids, the rest is read anew."""
        await self._saved(order.chapter, order.text)
        if same and order.end > order.start:  # else none of its text is in the chapter: its prompt is out of date
            cut = splice(saved, order.text[order.start :])
            rest = await self._room.alive(lambda engine: engine.tokenize(cut.rest))
            ids = old.prompt_ids + saved.token_ids[: cut.kept] + rest
        else:
            anew = DraftOrder(order.chapter, order.text, old.instruction)
            ids = await self._room.alive(lambda engine: self._prompt(engine, anew))
        start = len(order.text)
        engine = await self._room.ready()
        return await self._begin(engine, order.chapter, order.text, ids, start, self.sampling(), old.instruction)

    async def _compared(self, engine: Engine, generation: Generation, saved: Saved) -> bool:
        """Whether its ids may go to this engine. Raises NotResumable once, so that the author can choose."""
        then, now = generation.fingerprint, engine.facts.fingerprint
        if (asked := comparing.choice(then, now, engine.facts.model)) and generation.id not in self._warned:
            self._warned.add(generation.id)
            raise asked
        if not asked and (note := comparing.engine_changed(then, now)):
            self._notify(Noted(note))
        return await comparing.same_tokens(engine, then, saved)

    async def _prompt(self, engine: Engine, order: DraftOrder) -> tuple[int, ...]:
        return await prompt_ids(engine, self._means.manuscript, order)

    async def _saved(self, chapter: str, text: str, *spans: Span) -> None:
        if not await self.save(SaveOrder(chapter, text, 0, spans)):
            raise ManuscriptError("Nothing is written before the chapter can be saved. Free its disk, then try again.")

    def _recovered(self, generation: Generation) -> Offer | None:
        """Makes sure that the chapter holds all its text. What has ended is sealed, if the chapter can be read."""
        state, offer, in_file = self._means.state, None, True
        if generation.finish_reason != "discarded":
            saved, spans = state.generations.load(generation.id), state.spans.of(generation.id)
            file = self._file(generation.chapter)
            offer, record, in_file = recover(file, generation, saved, spans)
            if not in_file and file.exists():
                raise ManuscriptError(offer.note)
            if record is not None:
                with suppress(StateFull):  # a text that is whole can be searched for
                    state.spans.record(record)
                write_back(file, saved, spans)
        if in_file and not generation.state.resumable:
            state.generations.seal(generation.id)
        return offer

    def _file(self, chapter: str) -> ChapterFile:
        """One object per chapter for the life of the desk: it remembers what it wrote when a disk fails half-way."""
        if chapter not in self._files:
            root, records = self._means.manuscript.folder, self._means.state_dir / "saving"
            self._files[chapter] = ChapterFile(root / chapter, backup_dir=records, root=root)
        return self._files[chapter]
