"""The desk: where an order becomes a generation. Joins engine, journal and chapter files for any front end.

Runs on one event loop in one thread, which alone touches the database. Reports facts through `notify`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from writer.config import Settings
from writer.engine.base import Engine, EngineSource
from writer.errors import EngineError, StorageError
from writer.generation.model import Sampling, State
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.lock import ManuscriptLock
from writer.manuscript.model import Chapter, Manuscript
from writer.manuscript.versions import Versions
from writer.runtime import summarising
from writer.runtime.alternatives import Wondering
from writer.runtime.arranging import Arranging, shelf_for
from writer.runtime.asides import Asides
from writer.runtime.branching import Branch
from writer.runtime.drafting import Outcome
from writer.runtime.endings import Endings
from writer.runtime.engine_room import EngineRoom
from writer.runtime.engine_wording import EngineWording
from writer.runtime.events import DeskOpened, GenerationFailed, PassageRewritten, PromptShown
from writer.runtime.left_open import left_open
from writer.runtime.orders import AsideOrder, DraftOrder, ResumeOrder, SaveOrder
from writer.runtime.outside import Outside
from writer.runtime.planning import how_of
from writer.runtime.prompting import Prompting, WordingOf, fresh_sampling
from writer.runtime.recalling import Recalling
from writer.runtime.rereading import Rereading, SettingsSource
from writer.runtime.revising import Revising
from writer.runtime.rewriting import RewriteRequest, Rewritten
from writer.runtime.runner import Notify
from writer.runtime.saving import Chapters
from writer.runtime.showing import OnDisk, Showing
from writer.runtime.suspending import Suspendable
from writer.runtime.takes import Take
from writer.runtime.texts import Texts
from writer.runtime.tracing import Tracing
from writer.runtime.turns import Turns
from writer.runtime.workplace import Workplace
from writer.runtime.works import Works
from writer.storage.state_file import StateFile

_AT_ONCE = {"cpu": 4, "scripted": 4, "remote": 4, "gpu": 16}
"""How many texts an engine of each device writes at once before all of them become slow."""


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
    wording: WordingOf = EngineWording  # how texts become ids; the model's own tokenizer where it is on this machine
    on_disk: OnDisk = lambda: None  # the model that the settings name, for plans without an engine
    settings_source: SettingsSource | None = None  # the files to be read again when they change; None: never


class Desk:
    """One manuscript, open for writing. Methods are coroutines of one loop; `pause` may be called at any time in it."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._settings = means.settings
        self._notify = means.notify
        engine = means.settings.engine
        self._room = EngineRoom(means.source, means.notify, keeps_on_disk=engine.kv_disk_gib > 0)
        self._drafting = Suspendable(means.state, self._room, means.notify, engine, patience=means.patience)
        self.chapters = Chapters(self._file, means.versions, means.state.spans, means.notify, disturbed=self._disturbed)
        self.outside = Outside(means.manuscript.folder, means.state_dir, self.chapters, means.notify)
        self._endings = Endings(means.state, self._file)
        self._works = Works(means.notify)
        turns = Turns(means.state_dir)
        self._prompting = Prompting(means.manuscript, means.notify, means.wording, means.state.generations, turns)
        there = means.manuscript, self._room, means.state.generations, turns
        self._showing = Showing(*there, means.notify, wording=means.wording, on_disk=means.on_disk)
        joined = means.state, self._room, self._drafting, self._endings, self._works
        at = Workplace(*joined, means.notify, self._prompt, self.sampling)
        self._texts = Texts(at, save=self.save)
        self._asides = Asides(at, self._texts, rendered=self._prompting.rendered)
        self.wondering = Wondering(means.state, self._room, self._texts, means.notify)
        self.tracing = Tracing(means.state.generations, means.state_dir / "origins", means.notify)
        self.recalling = Recalling(means.state.generations, self._showing.reader, means.notify)
        self._revising = Revising(means.state, self._asides, self._endings, self._prompting, sampling=self.sampling)
        shelf = shelf_for(means.manuscript.folder, means.state_dir, means.versions, means.state, turns)
        self.arranging = Arranging(shelf, self.chapters, self._works, means.notify, self._forget)
        self._rereading = Rereading(means.settings_source, self.settings)
        self._warming: asyncio.Task[Engine] | None = None
        self._files: dict[str, ChapterFile] = {}
        self._closed = False

    async def open(self) -> DeskOpened:
        """Reconciles and recovers; every chapter file holds all that was shown once this has returned."""
        state = self._means.state
        state.reconcile()
        notes = [*state.notes, *self.outside.notes()]
        left = left_open(state, self._file, self._endings)
        opened = DeskOpened(left.offers, await self._room.status(), (*notes, *left.notes), left.asides)
        self._notify(opened)
        self._drafting.power.start()
        await self.outside.start()
        self._rereading.start(lambda: self._settings, self._notify)
        return opened

    async def draft(self, order: DraftOrder, sampling: Sampling | None = None) -> Outcome:
        """A new generation at the end of the chapter."""
        self.chapters.ordered(order.chapter, order.merged)
        self.chapters.new_version(order.chapter)
        return await self._works.run(self._texts.draft(order, sampling), order.chapter, place=order.chapter)

    async def resume(self, order: ResumeOrder) -> Outcome:
        """Goes on with a generation at its very next token; from the author's words if he changed the text."""
        self.chapters.ordered(order.chapter, order.merged)
        work, chapter = self._texts.resume(order), order.chapter
        return await self._works.run(work, chapter, place=chapter, generation=order.generation)

    async def aside(self, order: AsideOrder) -> tuple[Outcome, ...]:
        """New texts beside the chapter, all at once; how each ended."""
        return await self._asides.begin(order)

    async def rewrite(self, request: RewriteRequest, sampling: Sampling | None = None) -> tuple[Outcome, ...]:
        """Rewritings of a passage, or texts to insert, beside the chapter; how each ended."""
        return await self._revising.begin(request, sampling)

    def rewritten(self, generation: str, text: str) -> Rewritten:
        """What is written of it, beside its passage in the chapter's `text`; reported. Raises NotResumable."""
        found = self._revising.found(generation, text)
        self._notify(PassageRewritten(found))
        return found

    def recall(self, generation: str, text: str) -> None:
        """As `rewritten`, of a rewriting that an earlier run left: PassageRecalled, or PassageLost."""
        self._notify(self._revising.recalled(generation, text))

    async def go_on(self, generation: str) -> Outcome:
        """Goes on with a text beside its chapter at its very next token."""
        return await self._asides.go_on(generation)

    async def summarise(self, chapter: Chapter) -> None:
        """Sums up a chapter; reported. See `summarising`."""
        self._notify(await summarising.told(self, chapter, self._means.manuscript, self._means.versions))

    async def window(self) -> int:
        """Tokens that the model holds. Raises EngineError's kinds."""
        return (await self._room.ready()).facts.window

    def choose(self, generation: str) -> None:
        """The front end has put this text from beside the chapter into it; TakeChosen."""
        self._asides.choose(generation)

    def unchoose(self, generation: str) -> None:
        """The author has taken it out of the chapter again; it is kept. ChoiceUndone."""
        self._asides.unchoose(generation)

    def keep_all(self, chapter: str) -> None:
        """What stands beside the chapter is not offered again."""
        self._asides.keep_all(chapter)

    def takes(self, chapter: str) -> tuple[Take, ...]:
        """The texts of the chapter, as a tree; TakesListed."""
        return self._asides.listed(chapter)

    async def at_once(self) -> int:
        """How many texts the engine is given at once if nobody says otherwise. Raises EngineError's kinds."""
        return _AT_ONCE.get((await self._room.ready()).facts.device, _AT_ONCE["cpu"])

    def pause(self, generation: str = "", chapter: str = "") -> None:
        """Stops what is being written: one text, those of a chapter, or all."""
        self._works.pause(generation, chapter)

    async def free_gpu(self) -> None:
        """Pauses everything and frees the GPU; the next order takes it again. Raises EngineBusy or EngineError."""
        self.pause()
        await self._works.rest()
        await self._room.sleep()

    def _disturbed(self, generation: str) -> None:
        """Another program changed its text: what is written now would go on from words that are not there."""
        if self._means.state.generations.generation(generation).state is State.RUNNING:
            self.pause(generation)

    async def save(self, order: SaveOrder) -> bool:
        """Saves a chapter; the answer is also reported."""
        saved = await self.chapters.save(order)
        if saved:
            self.tracing.keep(order.chapter, order.text, order.origins)
            with suppress(StorageError):  # sealing can wait for the next start
                for span in order.spans:
                    self._endings.settle(span)
        return saved

    def keep(self, generation: str) -> None:
        """The text stays as it is; it is not offered again."""
        self._endings.keep(generation)

    def discard(self, generation: str, text: str, place: tuple[int, int]) -> None:
        """The author takes it out of the chapter; it stays as a take, for [start, end) of the `text` without it."""
        self._endings.discard(generation, place, text)
        self.chapters.new_version(self._means.state.generations.generation(generation).chapter)

    def undiscard(self, generation: str) -> None:
        """Takes a discard back."""
        self._endings.undiscard(generation)

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
        self._showing.stop()
        self._rereading.stop()
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
        await self._works.rest()
        await self.chapters.rest()
        try:
            await self._room.leave(stop=self._means.settings.engine.after_quit == "stop")
        finally:
            with suppress(StorageError):  # a full disk: the next start takes this run for a killed one, rightly
                self._means.state.close()
            self._means.lock.release()

    def settings(self, settings: Settings) -> None:
        """What holds from now on. The engine goes on as it was begun."""
        self._settings = settings

    async def plan(self, order: DraftOrder) -> PromptShown | None:
        """What would be sent now; reported. Starts nothing. None if a newer order has come, or the desk closes."""
        return await self._showing.answer(order, self._settings)

    def sampling(self, chapter: str = "") -> Sampling:
        """The settings in force for a chapter, or for the book; with a fresh seed, if they name none."""
        return fresh_sampling(self._settings.writing_of(chapter))

    # --- inside ------------------------------------------------------------------------------------------------

    async def _prompt(self, engine: Engine, order: DraftOrder, drawn: Sampling) -> Branch:
        usual = self._settings.writing_of(order.chapter).max_tokens  # a short text does not change the prompt
        return await self._prompting.begun(engine, order, max(drawn.max_tokens, usual), how_of(drawn))

    def _forget(self, path: str) -> None:
        self._files.pop(path, None)

    def _file(self, chapter: str) -> ChapterFile:
        """One object per chapter for the life of the desk: it remembers what it wrote when a disk fails half-way."""
        if chapter not in self._files:
            root, records = self._means.manuscript.folder, self._means.state_dir / "saving"
            self._files[chapter] = ChapterFile(root / chapter, backup_dir=records, root=root)
        return self._files[chapter]
