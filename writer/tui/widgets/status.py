"""The status line: one sentence on what is happening, the chapter's words, and whether they are saved."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from writer.language import many, say
from writer.text.sanitise import one_line
from writer.tui.calmed import calm_at
from writer.tui.writing import Phase, Writing

if TYPE_CHECKING:
    from writer.engine.base import EngineStatus
    from writer.runtime.events import GenerationStarted
    from writer.tui.page import Page

WARNING = "▲"
"""What follows this mark is coloured: it stands last."""


class StatusLine(Static):
    """Plain text only: nothing in it is markup."""

    def __init__(self) -> None:
        super().__init__("", id="status", markup=False)
        self.line = ""
        self._said = 0.0

    def say(self, parts: list[str]) -> None:
        """Show these parts, leaving out empty ones. A screen reader would read every change: it is not told."""
        calm, now = calm_at(self.app), time.monotonic()
        line = " · ".join(one_line(part, 300) for part in parts if part)
        if calm.reader or line == self.line or now - self._said < calm.pace(0.0):  # the next look brings it
            return
        self._said = now
        self.line = line
        marked = line.find(WARNING)
        shown = Content(line)
        self.update(shown.stylize("$warning", marked) if marked >= 0 else shown, layout=False)

    def announce(self, sentence: str) -> None:
        """Show this sentence until there is another one. The same again is another one."""
        sentence = one_line(sentence, 400)
        self.line = say("Again: {sentence}", sentence=sentence) if sentence == self.line else sentence
        self.update(Content(self.line), layout=False)


def activity(writing: Writing, number: int, engine: EngineStatus | None, speed: float | None) -> list[str]:
    """What is being done, in plain words. `number` is that of the chapter being written."""
    if writing.trouble:
        return [writing.trouble]
    if writing.pausing:
        return [say("Pausing…")]
    if writing.phase is Phase.WRITING and writing.thinking:
        return [
            say("Thinking about chapter {number}", number=number),
            many("{count:,} token", "{count:,} tokens", writing.thought),
        ]
    if writing.phase is Phase.WRITING:
        return [
            say("Writing chapter {number}", number=number),
            say("{speed:.0f} tok/s", speed=speed) if speed is not None else "",
        ]
    waiting = engine_words(engine) if engine and engine.state == "starting" else ""
    if writing.phase is Phase.RETRYING:
        return [say("The engine stopped and is started again"), waiting]
    if writing.phase is Phase.ASKED:
        return [say("Chapter {number} is next", number=number), waiting or say("reading the chapter…")]
    return [waiting or (engine.sentence if engine and engine.state == "asleep" else "")]


def engine_words(engine: EngineStatus) -> str:
    """The engine's state, in plain words; "" if it does not matter."""
    if engine.state == "starting":
        return say("Engine: {state} {seconds:.0f} s", state=engine.sentence or say("starting…"), seconds=engine.seconds)
    if engine.state == "failed":
        return say("Engine: {state}", state=engine.sentence or say("not running"))
    return ""


def resume_cost(event: GenerationStarted) -> str:
    """What going on has cost, by the engine's own count; "" for a new generation."""
    if not event.resumed_from:
        return ""
    return say(
        "{cached_tokens:,} of {prompt_tokens:,} tokens from the prefix cache, {seconds:.2f} s",
        cached_tokens=event.cached_tokens,
        prompt_tokens=event.prompt_tokens,
        seconds=event.seconds,
    )


def saved_words(page: Page) -> str:
    """Whether the author's text is in the file."""
    if page.refusal:
        return say("NOT SAVED")
    if page.author_saved:
        return say("saved")
    return say("saving…") if page.waiting else say("not saved yet")
