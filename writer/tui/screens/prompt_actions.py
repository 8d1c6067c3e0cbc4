"""What the model is given, and how tokens are drawn: inspector, context meter, sampling."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.language import say
from writer.tui.working import work, work_anew

if TYPE_CHECKING:
    from writer.config import EditorSettings, Settings
    from writer.generation.plan import Plan
    from writer.manuscript.model import Manuscript
    from writer.runtime.events import Event, GenerationStarted, PromptShown
    from writer.runtime.ports import Desk
    from writer.tui.command import Command
    from writer.tui.keeping import Keeping
    from writer.tui.opening import Opening
    from writer.tui.page import Page
    from writer.tui.prompt.inspector import Inspector

_ALL = 2**31  # tokens
_ONLY_READS = say("This window only reads: settings are changed in the one that writes.")


class PromptActions(Screen[None]):
    """The part of the main screen that concerns the prompt."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5", "sampling", show=False, id="sampling"),
        Binding("f6", "inspect", show=False, id="inspect"),
    ]
    manuscript: Manuscript
    desk: Desk
    page: Page | None
    keeping: Keeping
    opening: Opening
    editing: EditorSettings
    only_reads: bool
    _word_control = True
    """Of the engine, as far as is known."""
    _inspector: Inspector | None = None
    _inspected = ""
    """The chapter that the inspector shows."""
    _last_cached = ""
    """What the engine had cached of the last request, in a sentence."""

    def __init__(self) -> None:
        super().__init__()
        self._prompt_plans: dict[str, Plan] = {}
        self._prompt_losses: dict[str, str] = {}  # what was told to be left out, by chapter
        self._prompt_lacks = ""  # how many summaries of the chapters before are missing or old
        self._prompt_asides: set[str] = set()  # texts beside chapters: their prompts are others

    def complain(self, sentence: str, severity: str = "error") -> None:
        """Show one sentence for a while."""
        raise NotImplementedError

    def prompt_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        yield (
            say("Inspector"),
            say("What the model will be given, part by part, and what is left out"),
            self.action_inspect,
        )
        yield (
            say("Sampling"),
            say("How the next words are drawn: temperature, repetition, banned words"),
            self.action_sampling,
        )

    def prompt_heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        from writer.runtime.events import (
            AsideBegun,
            EngineAttached,
            GenerationFailed,
            GenerationFinished,
            GenerationPaused,
            GenerationStarted,
            PromptPlanned,
            PromptShown,
        )

        match event:
            case EngineAttached(facts=facts):
                self._word_control = facts.word_control
                self.plan_again()
            case PromptPlanned(chapter=chapter, plan=plan):
                self._prompt_planned(chapter, plan)
            case PromptShown():
                self._prompt_shown(event)
            case AsideBegun(generation=generation):
                self._prompt_asides.add(generation)
            case GenerationStarted() if event.generation not in self._prompt_asides:
                self._prompt_cached(event)
            case GenerationFinished() | GenerationPaused():
                self.plan_again()
            case GenerationFailed(generation=generation) if (
                generation
            ):  # a plan that fails is not tried again by itself
                self.plan_again()

    # Context meter --------------------------------------------------------------------------------------------

    def context_words(self) -> str:
        """How full the window is with this chapter, for the status line; "" if nothing was planned yet."""
        page = self.page
        if page is None:
            return ""
        if self._inspector is not None and self._inspected != page.chapter.path:
            self.plan_again()  # another chapter is open now
        plan = self._prompt_plans.get(page.chapter.path)
        if plan is None:
            return ""
        from writer.tui.prompt.lines import meter

        return meter(plan)

    def _prompt_planned(self, chapter: str, plan: Plan) -> None:
        """What is left out is told before anything is sent, once for each change."""
        from writer.tui.prompt.lines import losses

        self._prompt_plans[chapter] = plan
        said = losses(plan)
        if said and said != self._prompt_losses.get(chapter):
            self.complain(said, "information")
        self._prompt_losses[chapter] = said

    # Inspector ------------------------------------------------------------------------------------------------

    async def action_inspect(self) -> None:
        """Show what the model will be given, or close that."""
        from writer.tui.prompt.inspector import WIDE, Inspector, InspectorSheet

        if self._inspector is not None:
            await self._close_inspector()
            return
        if self.page is None:
            self.complain(self.opening.why_none(), "information")
            return
        wide = self.app.size.width >= WIDE
        self._inspector = Inspector(alone=not wide)
        if wide:
            await self.query_one("#desk").mount(self._inspector)
            self._inspector.query_one("OptionList").focus()
        else:
            self.app.push_screen(InspectorSheet(self._inspector, self), self._inspector_left)
        self.plan_again()

    def on_resize(self, event: events.Resize) -> None:
        """In a window that has become narrow the text has all the room again."""
        if self._inspector is not None and self._inspector.parent is self.query_one("#desk"):
            from writer.tui.prompt.inspector import WIDE

            if event.size.width < WIDE:
                work(self, "inspector", self._close_inspector)

    async def _close_inspector(self) -> None:
        inspector, self._inspector = self._inspector, None
        if inspector is not None:
            await inspector.remove()
        self.on_inspector_left()

    def _inspector_left(self, _: None) -> None:
        self._inspector = None

    def on_inspector_left(self) -> None:
        """Back to the text."""
        if self.page is not None:
            self.page.editor.focus()

    def on_inspector_asked(self) -> None:
        self.plan_again()

    def on_inspector_reading(self, event: Inspector.Reading) -> None:
        self.read_request(event.part)

    def read_request(self, part: str) -> None:
        """Show the very text that is sent next, from this part on."""
        shown = self._inspector.shown if self._inspector else None
        if shown is None or not shown.plan:
            return
        from writer.tui.prompt.request_sheet import RequestSheet

        title = say("What is sent next: {tokens:,} tokens", tokens=shown.tokens)
        self.app.push_screen(RequestSheet(title, shown.request, part, self.editing))

    def plan_again(self) -> None:
        """Ask what would be sent now, for the meter and the inspector."""
        page = self.page
        if page is None or self.keeping.leaving:
            return
        self._inspected = page.chapter.path
        if why := page.only_read or page.beside:
            self._prompt_show(PromptShown(page.chapter.path, None, why=why))
            return
        if self._inspector is not None:
            self._inspector.wait(page.chapter.title)
            work_anew(self, "lacking", self._look_for_summaries, page.chapter.path)
        from writer.runtime.orders import DraftOrder

        order = DraftOrder(page.chapter.path, page.editor.text, merged=page.merged)
        if page.resumable:  # then nothing is planned anew
            order = replace(order, parent=page.resumable, parent_tokens=_ALL)
        self.desk.plan(order)

    async def _look_for_summaries(self, chapter: str) -> None:
        """Of the chapters before, for the inspector."""
        from writer.manuscript.summaries import lacking
        from writer.tui.book.summarising import told

        paths = [each.path for each in self.manuscript.chapters]
        before = paths[: paths.index(chapter)] if chapter in paths else []
        self._prompt_lacks = told(*await asyncio.to_thread(lacking, self.manuscript.folder, before))
        if self._inspector is not None:
            self._inspector.tell_last(self._prompt_said())

    def _prompt_said(self) -> str:
        page = self.page
        paused = say("Paused: Ctrl+G sends what was sent before, and what is written, again.")
        said = [self._prompt_lacks, self._last_cached, paused if page and page.resumable else ""]
        return "\n".join(filter(None, said))

    def _prompt_shown(self, event: PromptShown) -> None:
        if event.plan is not None:
            self._prompt_plans[event.chapter] = event.plan
        if self._inspector is not None and event.chapter == self._inspected:
            self._prompt_show(event)

    def _prompt_show(self, event: PromptShown) -> None:
        page = self.page
        if self._inspector is not None and page is not None:
            self._inspector.show(event, page.chapter.title, self._prompt_said())

    def _prompt_cached(self, event: GenerationStarted) -> None:
        self._last_cached = say(
            "Last time the engine had {cached_tokens:,} of {prompt_tokens:,} tokens cached.",
            cached_tokens=event.cached_tokens,
            prompt_tokens=event.prompt_tokens,
        )
        if self._inspector is not None:
            self._inspector.tell_last(self._prompt_said())

    # Sampling -------------------------------------------------------------------------------------------------

    def action_sampling(self) -> None:
        """Show how text is drawn, to be changed."""
        from writer.tui.prompt.sampling_sheet import SamplingSheet

        chapter = self.page.chapter if self.page and self.page.chapter.number else None
        refusal = _ONLY_READS if self.only_reads else ""
        sheet = SamplingSheet(
            self.manuscript, chapter, self._sampling_settled, able=self._word_control, refusal=refusal
        )
        self.app.push_screen(sheet)

    def _sampling_settled(self, settings: Settings) -> None:
        self.desk.settings(settings)
        self.plan_again()  # the length is kept free in the window
