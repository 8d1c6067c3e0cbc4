"""A server that answers wrongly, late, or not at all: the right state, one sentence, the same text, no traceback.

A real server on a Unix socket, the real client, desk, database and chapter files. Waiting limits are shortened (see
answer_faults.SILENCE); with the full count one silence is sat out in earnest. Each fault also meets `writer draft` and,
with the full count, the app in a terminal.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from answer_faults import CASES, SILENCE, Case, silent
from answers_app import wrong_on_screen
from fake_server import DONE, FakeServer, Script
from outcome import Outcome

from writer.bootstrap import open_desk
from writer.engine import arrivals, pouring
from writer.engine.patience import Patience
from writer.engine.remote import RemoteEngine
from writer.errors import EngineError
from writer.generation.loops import LoopWatch
from writer.generation.model import Sampling, State
from writer.manuscript.project import create
from writer.runtime import drafting, engine_room, pulse
from writer.runtime.drafting import Outcome as Ending
from writer.runtime.events import BatchCommitted, EngineAttached, Event, GenerationFailed, GenerationInterrupted
from writer.runtime.orders import DraftOrder, SaveOrder

NAME, FULL, ROOT = "answers", 5 * len(CASES), False
CI = len(CASES)
CHAPTER, INTRO = "chapters/01-chapter-1.md", "# Salt\n\nIt was late.\n\n"
SAMPLING = Sampling(seed=5, max_tokens=90, ignore_eos=True)
PATIENCE = 60.0  # seconds; a trial that takes longer hangs
WHOLE = Case(lambda at: Script(), sentences=0, restarts=0)


@dataclass
class Run:
    """What one draft came to."""

    events: list[Event] = field(default_factory=list)
    ending: Ending | None = None
    stored: list[int] = field(default_factory=list)
    state: State | None = None
    saved: bool = False
    logged: list[str] = field(default_factory=list)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def ids(self) -> list[int]:
        return [i for batch in self.of(BatchCommitted) for i in batch.token_ids]

    @property
    def sentences(self) -> list[str]:
        return [event.sentence for event in self.events if isinstance(event, GenerationInterrupted | GenerationFailed)]


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` trials over all faults in turn, each after a number of tokens drawn from `seed`; and every mutant."""
    rnd, failures, begun = random.Random(seed), list[str](), time.monotonic()
    with _quick():
        honest = asyncio.run(_draft(WHOLE, 0, scratch / "whole")).ids
        for number in range(count):
            name, at = list(CASES)[number % len(CASES)], rnd.randrange(1, 40)
            wrong = _trial(name, at, honest, scratch / f"t{number}")
            if CASES[name].in_time and number < len(CASES):
                wrong += asyncio.run(_command(CASES[name], at, scratch / f"c{number}"))
                wrong += asyncio.run(_app(CASES[name], at, scratch / f"a{number}")) if count >= FULL else []
            failures += [f"{name}: {what} (seed {seed}, trial {number}, after {at} tokens)" for what in wrong]
        caught = {name: _caught(name, honest, scratch / name) for name in MUTANTS}
    notes = {"kinds of faults": str(min(count, len(CASES))), "seconds": f"{time.monotonic() - begun:.0f}"}
    if count >= FULL:
        told = asyncio.run(_in_earnest(scratch / "earnest"))
        notes["silence told after"] = f"{told:.1f} s"
        failures += [f"a silence was told after {told:.1f} s"] if told > 35 else []
    missed = [name for name, found in caught.items() if not found]
    notes |= {"missed mutants": ", ".join(missed)} if missed else {}
    return Outcome(NAME, count, tuple(failures), len(caught), len(caught) - len(missed), notes=notes)


def _trial(name: str, at: int, honest: list[int], folder: Path) -> list[str]:
    case = CASES[name]
    try:
        return list(wrong_with(case, asyncio.run(_draft(case, at, folder)), honest))
    except TimeoutError:
        return ["it hangs"]


def wrong_with(case: Case, run: Run, honest: list[int]) -> Iterator[str]:
    """Everything about the run that is not as it must be."""
    assert run.ending is not None
    if run.ending.state is not case.state or run.state is not case.state:
        yield f"state {run.ending.state}, stored {run.state}, not {case.state}"
    if len(run.sentences) != case.sentences:
        yield f"{len(run.sentences)} sentences: {run.sentences}"
    if case.words and not (run.sentences and re.search(case.words, run.sentences[-1])):
        yield f"not the sentence: {run.sentences}"
    for sentence in run.sentences:
        if re.search(r"Traceback|File \"|[\x00-\x1f\x7f-\x9f]", sentence) or not sentence.endswith("."):
            yield f"no plain sentence: {sentence!r}"
    if (restarts := len(run.of(EngineAttached)) - 1) > case.restarts:
        yield f"{restarts} restarts"
    if run.stored != run.ids or (case.same and run.ids != honest):
        yield f"{len(run.ids)} tokens told, {len(run.stored)} stored, {len(honest)} in an undisturbed run"
    if case.tokens is not None and len(run.ids) != case.tokens:
        yield f"{len(run.ids)} tokens"
    if not run.saved:
        yield "the chapter cannot be saved afterwards"
    yield from (f"logged: {line}" for line in run.logged)


async def _draft(case: Case, at: int, folder: Path) -> Run:
    """One draft from a server with this fault, and what it left."""
    found = Run()
    async with _served(case.make(at), folder) as environ:
        with _logged(found.logged):
            desk = open_desk(folder, environ, found.events.append)
            await desk.open()
            try:
                async with asyncio.timeout(PATIENCE):
                    found.ending = await desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
                    found.saved = await desk.save(SaveOrder(CHAPTER, INTRO + "The author goes on.", 1))
                for generation in desk._means.state.generations.all():
                    found.stored = list(desk._means.state.generations.load(generation.id).token_ids)
                    found.state = generation.state
            finally:
                await desk.close()
    return found


async def _command(case: Case, at: int, folder: Path) -> list[str]:
    """What is wrong with `writer draft` against the same server."""
    async with _served(case.make(at), folder) as environ:
        command = [sys.executable, "-m", "writer", "draft", str(folder), "--max-tokens", "90"]
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(*command, env=environ, stdout=pipe, stderr=pipe)
        async with asyncio.timeout(PATIENCE):
            out, err = await child.communicate()
    said = (out + err).decode("utf-8", "replace")
    expected = 0 if case.state is State.TRUNCATED else 1
    if child.returncode != expected:
        return [f"writer draft ended with {child.returncode}: {said[-300:]!r}"]
    if re.search(r"Traceback|File \"/|\x1b", said):
        return [f"writer draft shows {said[-300:]!r}"]
    return [] if expected == 0 or re.search(case.words, said) else [f"writer draft says {said[-300:]!r}"]


async def _app(case: Case, at: int, folder: Path) -> list[str]:
    """What is wrong with the app on a terminal, with the same server."""
    async with _served(case.make(at), folder) as environ:
        with (folder / "writer.toml").open("a") as settings:
            settings.write("\n[settings.writing]\nmax_tokens = 90\n[settings.editor]\nautosave = 0.3\n")
        chapter = folder / CHAPTER if case.same else None
        return await asyncio.to_thread(wrong_on_screen, folder, environ, case.words, chapter)


async def _in_earnest(folder: Path) -> float:
    """Seconds from the last token to the first word about the silence, with the real limits."""
    times: dict[type, float] = {}

    def told(event: Event) -> None:
        times[type(event)] = time.monotonic()

    async with _served(Script(streams=[silent(5)]), folder) as environ:
        desk = open_desk(folder, environ, told)
        await desk.open()
        try:
            task = asyncio.ensure_future(desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
            while GenerationInterrupted not in times:
                await asyncio.sleep(0.05)
            desk.pause()
            await task
        finally:
            await desk.close()
    return times[GenerationInterrupted] - times[BatchCommitted]


@asynccontextmanager
async def _served(script: Script, folder: Path) -> AsyncIterator[dict[str, str]]:
    """A running server, a manuscript, and an environment in which it is the engine."""
    create(folder, title="Salt")
    with tempfile.TemporaryDirectory(prefix="w-") as short, mock.patch.dict(os.environ, _home(Path(short))):
        (Path(short) / "c/writer").mkdir(parents=True)
        address = str(Path(short) / "s").replace("/", "%2F")
        (Path(short) / "c/writer/config.toml").write_text(
            f'[engine]\nurl = "http+unix://{address}"\nprotocol = "vllm"\n'
        )
        server = FakeServer(script)
        listening = await server.serve(Path(short) / "s")
        try:
            yield dict(os.environ)
        finally:
            listening.close()
            await server.end()


def _home(root: Path) -> dict[str, str]:
    places = {"CONFIG_HOME": "c", "STATE_HOME": "s_", "DATA_HOME": "d", "CACHE_HOME": "k", "RUNTIME_DIR": "r"}
    project = str(Path(__file__).parents[2])
    return {f"XDG_{name}": str(root / place) for name, place in places.items()} | {"PYTHONPATH": project}


@contextmanager
def _quick() -> Iterator[None]:
    """Limits of a second instead of half a minute, and no pauses between tries."""
    shorter = {"SILENCE": SILENCE, "FIRST_SILENCE": 2 * SILENCE, "SETTLING": 0.05, "PROBE": SILENCE, "_STEP": 0.1}
    with ExitStack() as stack:
        for name, value in shorter.items():
            stack.enter_context(mock.patch.object(pulse, name, value))
        soon = {"first_pause": 0.02, "patience": Patience(sleep=lambda seconds: asyncio.sleep(seconds / 50))}
        stack.enter_context(mock.patch.dict(RemoteEngine.__init__.__kwdefaults__, soon))
        yield


@contextmanager
def _logged(into: list[str]) -> Iterator[None]:
    """Errors that are logged meanwhile: a fault of the server's is none of ours."""
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: into.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


# --- planted bugs ------------------------------------------------------------------------------------------------


def _goodbye_is_a_finish(payload: bytes, parse: Any = arrivals.parse) -> Any:
    return arrivals.Event((), "", "stop") if payload == DONE[6:-2] else parse(payload)


MUTANTS: dict[str, tuple[str, Callable[[], Any]]] = {
    "[DONE] counts as a finish": (
        "[DONE] without a finish",
        lambda: mock.patch.object(arrivals, "parse", _goodbye_is_a_finish),
    ),
    "silence is never noticed": ("silence", lambda: mock.patch.object(pulse, "SILENCE", 10 * PATIENCE)),
    "a loop is never noticed": (
        "the same token for ever",
        lambda: mock.patch.object(LoopWatch, "clip", lambda self, delta: delta),
    ),
    "no breaker": (
        "a death after each token",
        lambda: mock.patch.object(engine_room, "RESTARTS", 99),
    ),
    "the server's words are the sentence": (
        "500 with a traceback",
        lambda: mock.patch.object(
            pouring, "refused", lambda answer: EngineError(answer.content.decode("utf-8", "replace"))
        ),
    ),
    "any model will do": (
        "another model after a death",
        lambda: mock.patch.object(drafting, "require_same"),
    ),
}


def _caught(mutant: str, honest: list[int], folder: Path) -> bool:
    """Whether the fault that this bug mishandles shows it."""
    fault, plant = MUTANTS[mutant]
    with plant(), mock.patch(f"{__name__}.PATIENCE", 6 * SILENCE):
        return bool(_trial(fault, 7, honest, folder))
