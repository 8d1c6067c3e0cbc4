"""What the commands print: JSON lines for programs, plain lines for people. Nothing foreign reaches a terminal raw."""

from __future__ import annotations

import io
import json
import os
import select
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

import click

from writer.language import say, together
from writer.text.sanitise import one_line, visible

if TYPE_CHECKING:
    from writer.runtime.drafting import Outcome
    from writer.runtime.events import BatchCommitted, Event, GenerationStarted, PromptPlanned

_NAMED = 4  # parts of a prompt in one line


def emit(value: Any) -> None:
    """One JSON value on one line, flushed: whoever reads it may rely on it at once."""
    readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    line = json.dumps(value, ensure_ascii=not readable)
    if visible(line) != line:  # JSON escapes only half of what a terminal obeys
        line = json.dumps(value)
    sys.stdout.write(line.replace("\x7f", "\\u007f") + "\n")
    sys.stdout.flush()


def forgive() -> None:
    """A character that the terminal's encoding lacks becomes a question mark, never an error in mid-sentence."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def nobody_reads() -> bool:
    """Whether whoever read our output has gone; what is still to be printed, at the exit too, then goes nowhere."""
    gone = False
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if _has_no_reader(stream):
            os.dup2(nowhere, stream.fileno())
            gone = True
    os.close(nowhere)
    return gone


def _has_no_reader(stream: TextIO) -> bool:
    try:
        stream.flush()
        poll = select.poll()
        poll.register(stream.fileno(), 0)  # an error or a hang-up is told unasked
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except OSError:
        return True


class Listener:
    """Passes events on until nobody reads any more; that pauses the writing, once, and loses nothing."""

    def __init__(self, show: Callable[[Event], None]) -> None:
        self._show = show
        self.gone: Callable[[], None] = lambda: None

    def __call__(self, event: Event) -> None:
        try:
            self._show(event)
        except OSError:  # a closed pipe, a terminal that has gone, a full disk behind a redirection
            nobody_reads()
            self._show = lambda event: None
            self.gone()


def tell(line: str, *, error: bool = False) -> None:
    """One plain line."""
    click.echo(one_line(line, 500), err=error)


def json_events(event: Event, chapter: str = "") -> None:
    """The events of draft and resume as docs/cli.md gives them. `chapter`: of a batch, which names none itself."""
    from writer.runtime.events import BatchCommitted, GenerationStarted

    if isinstance(event, GenerationStarted):
        emit(
            {
                "event": "started",
                "generation": event.generation,
                "chapter": event.chapter,
                "prompt_tokens": event.prompt_tokens,
                "cached_tokens": event.cached_tokens,
                "resumed_from": event.resumed_from,
            }
        )
    elif isinstance(event, BatchCommitted):
        facts = {"ordinal": event.ordinal, "token_ids": list(event.token_ids), "text": event.text}
        if event.thinking:
            facts |= {"thought": event.thought}
        emit({"event": "batch", "generation": event.generation, "chapter": chapter, **facts})


class JsonEvents:
    """The same, of any number of texts at once."""

    def __init__(self) -> None:
        self._chapters: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        from writer.runtime.events import BatchCommitted, GenerationStarted

        if isinstance(event, GenerationStarted):
            self._chapters[event.generation] = event.chapter
        if isinstance(event, GenerationStarted | BatchCommitted):
            json_events(event, self._chapters.get(event.generation, ""))


def json_outcome(outcome: Outcome, **more: Any) -> None:
    """The last line of draft and resume; of many texts, one for each, with `more` of it."""
    from writer.generation.model import State

    kind = {State.FINISHED: "finished", State.TRUNCATED: "finished", State.PAUSED: "paused"}
    name = kind.get(outcome.state, "failed") if outcome.state else ("paused" if outcome.paused else "failed")
    facts = {"generation": outcome.generation, "reason": outcome.sentence, "tokens": outcome.tokens}
    emit({"event": name, **facts, **more})


class PlainEvents:
    """Streams the text to the terminal, with what happens around it on stderr: a thought as well, if asked for."""

    def __init__(self, *, thought: bool = False) -> None:
        self._begun = time.monotonic()
        self._said = ""
        self._shows_thought = thought
        self._thinking = 0  # tokens of the thought that is under way

    def __call__(self, event: Event) -> None:
        from writer.runtime import events

        if isinstance(event, events.BatchCommitted):
            self._batch(event)
        elif isinstance(event, events.EngineProgressed):
            self._once(say("Engine: {sentence}", sentence=event.status.sentence))
        elif isinstance(event, events.GenerationStarted):
            self._once(started_line(event))
        elif isinstance(event, events.PromptPlanned):
            self._once(losses_line(event))
        elif isinstance(event, events.GenerationInterrupted | events.CommitDelayed | events.Noted):
            tell(event.sentence, error=True)

    def _batch(self, event: BatchCommitted) -> None:
        if event.thinking:
            self._thinking = event.tokens
            if self._shows_thought:
                click.echo(visible(event.thought), nl=False, err=True)
            return
        if self._thinking:
            click.echo("\n" if self._shows_thought else "", nl=False, err=True)
            tell(say("The model has thought for {thinking:,} tokens.", thinking=self._thinking), error=True)
            self._thinking = 0
        click.echo(visible(event.text), nl=False)
        sys.stdout.flush()

    def _once(self, line: str) -> None:
        if line and line != self._said:
            self._said = line
            tell(line, error=True)


class QuietEvents(PlainEvents):
    """What happens around the text, without the text."""

    def __call__(self, event: Event) -> None:
        from writer.runtime.events import BatchCommitted

        if not isinstance(event, BatchCommitted):
            super().__call__(event)


def started_line(event: GenerationStarted) -> str:
    """What a start or a resume cost, in the engine's own numbers."""
    what = (
        say("Going on after {resumed_from:,} tokens", resumed_from=event.resumed_from)
        if event.resumed_from
        else say("Writing")
    )
    cached, total = event.cached_tokens, event.prompt_tokens
    return say(
        "{what}: {cached:,} of {total:,} tokens from the prefix cache, {seconds:.2f} s",
        what=what,
        cached=cached,
        total=total,
        seconds=event.seconds,
    )


def losses_line(event: PromptPlanned) -> str:
    """What of the prompt is not sent, before it is sent, and what is unusual about it; "" if nothing is."""
    return together(_left_out(event), *event.plan.notes)


def _left_out(event: PromptPlanned) -> str:
    lost = [part for part in event.plan.parts if part.why]
    if not lost:
        return ""
    named = say(", ").join(part.title for part in lost[:_NAMED]) + (
        say(" and {lost} more", lost=len(lost) - _NAMED) if lost[_NAMED:] else ""
    )
    return say("The window is full; cut or left out: {named}. writer plan tells more.", named=named)


def show_events(as_json: bool, total: int | None, *, thought: bool = False) -> Callable[[Event], None]:
    """The listener for a command: JSON lines, a progress bar on a terminal, or else the text itself."""
    if as_json:
        return JsonEvents()
    if sys.stdout.isatty() and sys.stderr.isatty() and not thought:
        from writer.cli.progress import Bar

        return Bar(total, started_line, losses_line)
    return PlainEvents(thought=thought)
