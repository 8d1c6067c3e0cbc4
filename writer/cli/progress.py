"""A progress bar for `draft` and `resume` on a terminal. The text itself goes to the chapter file."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from writer.language import say
from writer.runtime.events import (
    BatchCommitted,
    CommitDelayed,
    EngineProgressed,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationInterrupted,
    GenerationPaused,
    GenerationStarted,
    Noted,
    PromptPlanned,
)
from writer.text.count import last_sentence
from writer.text.sanitise import one_line

_TAIL = 300  # characters kept to show the sentence that is being written


def _bars() -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn(say("{task.completed:.0f} tokens"), markup=False),
        TextColumn("{task.fields[speed]}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )


class Bar:
    """Listens to the desk. `total` is the number of tokens asked for, if it is known."""

    def __init__(
        self,
        total: int | None,
        describe: Callable[[GenerationStarted], str],
        losses: Callable[[PromptPlanned], str] = lambda event: "",
    ) -> None:
        self._describe = describe
        self._losses = losses
        self._progress = _bars()
        self._total = total
        self._task: TaskID | None = None
        self._tail = ""
        self._thinking = False
        self._thought = 0  # tokens that came before the text

    def __call__(self, event: Event) -> None:
        match event:
            case EngineProgressed(status=status):
                self._show(say("Engine: {sentence}", sentence=status.sentence))
            case GenerationStarted():
                self._started(event)
            case BatchCommitted():
                self._counted(event)
            case GenerationInterrupted(sentence=sentence) | CommitDelayed(sentence=sentence) | Noted(sentence=sentence):
                self._say(sentence)
            case PromptPlanned():
                self._planned(event)
            case GenerationFinished() | GenerationPaused() | GenerationFailed():
                self._ended()
            case _:
                pass

    def _planned(self, event: PromptPlanned) -> None:
        if line := self._losses(event):
            self._say(line)

    def _started(self, event: GenerationStarted) -> None:
        self._say(self._describe(event))
        if self._thinking:
            self._thought = event.resumed_from
        self._thinking = event.thinking
        total = None if self._total is None else max(self._total + self._thought, event.resumed_from + 1)
        what = say("The model is thinking…") if event.thinking else say("Writing")
        self._show(what)
        assert self._task is not None
        known = None if event.thinking else total
        self._progress.reset(self._task, total=known, completed=event.resumed_from, description=what)

    def _counted(self, event: BatchCommitted) -> None:
        if self._task is not None:
            self._tail = (self._tail + event.text)[-_TAIL:]
            self._progress.update(self._task, completed=event.tokens)
            speed = self._progress.tasks[0].speed
            self._progress.update(self._task, speed=say("{speed:.0f} tok/s", speed=speed) if speed else "")

    def _show(self, description: str) -> None:
        line = one_line(description, 40)
        if self._task is None:
            self._progress.start()
            self._task = self._progress.add_task(line, total=None, speed="")
        self._progress.update(self._task, description=line)

    def _say(self, line: str) -> None:
        self._progress.console.print(one_line(line), markup=False, highlight=False)

    def _ended(self) -> None:
        self._progress.stop()
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        if self._tail.strip():
            self._say(f"… {last_sentence(self._tail)}")
        self._tail = ""


class Bars:
    """A bar for each text of many. `total` is the most tokens of each, if it is known; `name` that of a chapter."""

    def __init__(self, total: int | None, name: Callable[[str], str]) -> None:
        self._total = total
        self._name = name
        self._progress = _bars()
        self._tasks: dict[str, TaskID] = {}
        self._said = ""
        self._progress.start()

    def __call__(self, event: Event) -> None:
        match event:
            case EngineProgressed(status=status):
                self._once(say("Engine: {sentence}", sentence=status.sentence))
            case GenerationStarted():
                self._started(event)
            case BatchCommitted(generation=generation, tokens=tokens) if generation in self._tasks:
                task = self._tasks[generation]
                self._progress.update(task, completed=tokens)
                speed = next(each.speed for each in self._progress.tasks if each.id == task)
                self._progress.update(task, speed=say("{speed:.0f} tok/s", speed=speed) if speed else "")
            case GenerationInterrupted(sentence=sentence) | CommitDelayed(sentence=sentence) | Noted(sentence=sentence):
                self._once(sentence)
            case GenerationFinished() | GenerationPaused() | GenerationFailed():
                if (ended := self._tasks.pop(event.generation, None)) is not None:
                    self._progress.remove_task(ended)
            case _:
                pass

    def tell(self, line: str) -> None:
        """A line above the bars."""
        self._progress.console.print(one_line(line), markup=False, highlight=False)

    def close(self) -> None:
        """The terminal is its own again."""
        self._progress.stop()

    def _started(self, event: GenerationStarted) -> None:
        if (task := self._tasks.get(event.generation)) is None:
            line = one_line(self._name(event.chapter), 40)
            total = None if self._total is None else max(self._total, event.resumed_from + 1)
            task = self._tasks[event.generation] = self._progress.add_task(line, total=total, speed="")
        self._progress.update(task, completed=event.resumed_from)

    def _once(self, line: str) -> None:
        if line != self._said:
            self._said = line
            self.tell(line)
