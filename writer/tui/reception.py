"""What the screen does when the writing thread reports. One function per fact; none of them waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from writer.engine.base import EngineStatus
from writer.errors import BatchOutOfOrder
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    ChapterMerged,
    ChapterSaved,
    CommitDelayed,
    CommitRecovered,
    DeskOpened,
    EngineAttached,
    EngineProgressed,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationInterrupted,
    GenerationPaused,
    GenerationStarted,
    LeaveAsked,
    Noted,
    SaveRefused,
    SettingsChanged,
    SettingsRefused,
)
from writer.tui.resetting import take_over
from writer.tui.screens.resume import ResumeCard
from writer.tui.widgets.status import resume_cost
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen
    from writer.tui.writing import Writing


def receive(screen: ManuscriptScreen, event: Event) -> None:
    """Bring the screen in line with this fact."""
    if _beside(screen, event):
        return
    match event:
        case BatchCommitted():
            _batch(screen, event)
        case DeskOpened():
            _opened(screen, event)
        case EngineProgressed(status=status):
            _engine(screen, status)
        case EngineAttached(facts=facts):
            _engine(screen, EngineStatus(state="ready", model=facts.model, can_sleep=facts.can_sleep))
        case GenerationStarted():
            _started(screen, event)
        case CommitDelayed(generation=generation, sentence=sentence):
            _trouble(screen, generation, sentence)
        case CommitRecovered(generation=generation):
            _trouble(screen, generation, "")
        case GenerationPaused(generation=generation, chapter=chapter):
            _ended(screen, _writing(screen, generation, chapter), generation, resumable=True)
        case GenerationFinished(generation=generation, reason=reason):
            _ended(screen, _writing(screen, generation), generation, resumable=reason == "length")
        case GenerationInterrupted():
            _interrupted(screen, event)
        case GenerationFailed():
            _failed(screen, event)
        case Noted(sentence=sentence):
            screen.complain(sentence, "warning")
        case ChapterMerged():
            _merged(screen, event)
        case ChapterSaved(chapter=chapter, serial=serial):
            if page := screen.pages.get(chapter):
                page.saved(serial)
        case SaveRefused():
            _refused(screen, event)
        case SettingsChanged():
            take_over(screen, event)
        case SettingsRefused(sentence=sentence):
            screen.complain(sentence, "warning")
        case LeaveAsked():
            work(screen, "leave", screen.keeping.hand_over)


def _beside(screen: ManuscriptScreen, event: Event) -> bool:
    """Whether this is about a text beside its chapter: nothing of it is shown in the chapter."""
    if isinstance(event, AsideBegun):
        screen.beside.add(event.generation)
        return True
    if isinstance(event, GenerationFailed) and (event.tag or event.generation in screen.beside):
        screen.complain(event.sentence)
        return True
    return getattr(event, "generation", "") in screen.beside


def _opened(screen: ManuscriptScreen, event: DeskOpened) -> None:
    screen.open_for_writing = True
    screen.engine = event.engine
    paths = [chapter.path for chapter in screen.manuscript.chapters]
    offers = sorted(event.offers, key=lambda offer: offer.stopped_at)
    lost = [offer.note for offer in offers if offer.chapter not in paths]  # its file was taken away
    screen.offers |= {offer.chapter: offer for offer in offers if offer.chapter in paths}  # the newest of a chapter
    for note in filter(None, (*event.notes, *lost)):
        screen.complain(note, "warning")
    if paths:
        screen.open_chapter([*paths[:1], *(o.chapter for o in offers if o.chapter in paths)][-1])
    if event.engine.state in ("ready", "starting"):
        screen.desk.warm_up()


def _engine(screen: ManuscriptScreen, status: EngineStatus) -> None:
    screen.engine = status
    if isinstance(card := screen.app.screen, ResumeCard):
        card.engine_changed(status)


def _started(screen: ManuscriptScreen, event: GenerationStarted) -> None:
    page = screen.pages.get(event.chapter)
    if page is None:
        return
    page.buffer.flush()
    page.editor.begin_generated(event.generation, event.start, event.end)
    page.resumable = ""
    if not screen.writings.of(event.chapter).busy:
        screen.writings.asked(event.chapter)
    screen.writings.of(event.chapter).began(event.chapter, event.generation)
    screen.note(resume_cost(event))
    screen.refresh_bindings()


def _batch(screen: ManuscriptScreen, event: BatchCommitted) -> None:
    writing = screen.writings.writer_of(event.generation)
    page = screen.pages.get(writing.chapter) if writing else None
    if writing is None or page is None:
        return
    writing.counted(event.tokens, time.monotonic())
    try:
        page.buffer.add(event.generation, event.ordinal, event.text)
    except BatchOutOfOrder as error:
        screen.desk.pause()
        screen.log.error(error.detail)
        screen.complain(error.sentence)
        writing.generation = ""  # shows nothing more of it


def _writing(screen: ManuscriptScreen, generation: str, chapter: str = "") -> Writing | None:
    """The order that an event speaks of, as far as it says: its generation may have no name here yet."""
    if found := screen.writings.writer_of(generation):
        return found
    paused = (page.chapter.path for page in screen.pages.values() if generation and page.resumable == generation)
    path = chapter or next(paused, "")
    if path:
        found = screen.writings.of(path)
        return found if found.busy else None
    nameless = [writing for writing in screen.writings.busy if not writing.generation]
    return next(iter(nameless or screen.writings.busy), None)


def _trouble(screen: ManuscriptScreen, generation: str, sentence: str) -> None:
    if writing := screen.writings.writer_of(generation):
        writing.trouble = sentence


def _ended(screen: ManuscriptScreen, writing: Writing | None, generation: str, *, resumable: bool) -> None:
    page = screen.pages.get(writing.chapter) if writing else None
    if writing is not None:
        writing.ended()
    if page is not None:
        span = page.editor.generated_span()
        known = span is not None and span.generation == (generation or page.resumable)
        page.stopped(span.generation if span and known and (resumable or not generation) else "")
        screen.keeping.save(page)
    screen.refresh_bindings()


def _interrupted(screen: ManuscriptScreen, event: GenerationInterrupted) -> None:
    writing = _writing(screen, event.generation)
    screen.complain(event.sentence, "warning")
    if not event.retrying:
        _ended(screen, writing, event.generation, resumable=True)
        return
    if writing is not None:
        if page := screen.pages.get(writing.chapter):
            page.buffer.flush()
            screen.keeping.save(page)
        writing.retrying()


def _failed(screen: ManuscriptScreen, event: GenerationFailed) -> None:
    if not screen.open_for_writing:
        screen.keeping.give_up(event.sentence)
        return
    screen.complain(event.sentence)
    if event.generation or event.chapter:
        found = _writing(screen, event.generation, event.chapter)
        known = found and (event.chapter or event.generation in (found.generation, *_paused(screen)))
        failed = [found] if found and known else []
    else:
        failed = screen.writings.busy
    if failed and not event.generation:  # it may have been something else that failed: then it is still being written
        if event.chapter:
            screen.desk.pause(chapter=event.chapter)
        else:
            screen.desk.pause()
    for writing in failed:
        _ended(screen, writing, event.generation, resumable=True)
        writing.why = event.sentence


def _merged(screen: ManuscriptScreen, event: ChapterMerged) -> None:
    page = screen.pages.get(event.chapter)
    if page is not None:
        page.buffer.flush()  # the change speaks of a text with all that is on its way
        if page.take_over(event):
            if event.sentence:
                screen.complain(event.sentence, "information")
            screen.keeping.save(page)


def _paused(screen: ManuscriptScreen) -> list[str]:
    return [page.resumable for page in screen.pages.values() if page.resumable]


def _refused(screen: ManuscriptScreen, event: SaveRefused) -> None:
    page = screen.pages.get(event.chapter)
    if page is not None and page.refused(event.serial, event.sentence):
        screen.complain(event.sentence)
