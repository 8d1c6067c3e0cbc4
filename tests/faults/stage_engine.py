"""The engine dies at every token, and the final text is that of a run in which it did not.

First the scripted engine in this process dies after 0, 1, 2 … tokens. Then a real engine process, kept by a real
keeper, kills itself by SIGKILL at each of these tokens: the keeper ends the rest of its tree, a new one is started, and
the text goes on. At some it stops dead instead (SIGSTOP), and is found out by its silence, with shorter limits than in
earnest. Greedy and seeded sampling take turns.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import fake_server
from outcome import Outcome

from writer import bootstrap, locations
from writer.bootstrap import open_desk
from writer.config import EngineSettings
from writer.engine import proc
from writer.engine.base import EngineSource
from writer.engine.launch import Launch
from writer.engine.lease import KeptEngine
from writer.engine.preparation import Prepared
from writer.engine.running import stop_all
from writer.generation import resume
from writer.generation.model import Fingerprint, Sampling, State
from writer.manuscript.project import create
from writer.runtime import drafting, pulse
from writer.runtime.events import BatchCommitted, EngineAttached, Event, GenerationInterrupted
from writer.runtime.orders import DraftOrder

TOKENS, KEPT_TOKENS = 160, 60  # of a whole text; in this process, and with real engine processes
HANGS = (0, 20, 40)  # tokens at which it falls silent
NAME, FULL, ROOT = "engine", 2 * (TOKENS + 1) + KEPT_TOKENS + 1 + len(HANGS), False
CHAPTER, INTRO = "chapters/01-chapter-1.md", "# Salt\n\nIt was late.\n\n"
GREEDY = Sampling(seed=7, temperature=0.0, max_tokens=TOKENS, ignore_eos=True)
SEEDED = replace(GREEDY, temperature=0.8)
_DIGEST = "fa4e0001"


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` deaths: all of them, or an even choice. The same points each time; `seed` draws the size of batches."""
    points = [(at, sampling) for sampling in (GREEDY, SEEDED) for at in range(TOKENS + 1)]
    kept = list(range(KEPT_TOKENS + 1))
    if count < FULL:
        share = max(1, count * len(kept) // FULL)
        points, kept = _even(points, count - share - len(HANGS)), _even(kept, share)
    begun = time.monotonic()
    failures = _scripted(points, seed, scratch / "scripted")
    failures += asyncio.run(_processes(kept, scratch / "kept"))
    with mock.patch.object(drafting, "aligned", _forgets), mock.patch.object(drafting, "plain", _forgets):
        caught = bool(_scripted(_even(points, 5), seed, scratch / "mutant"))
    notes = {"of them real processes": f"{len(kept)} killed, {len(HANGS)} stopped"}
    notes["seconds"] = f"{time.monotonic() - begun:.0f}"
    return Outcome(NAME, len(points) + len(kept) + len(HANGS), tuple(failures), 1, int(caught), notes=notes)


def _even(points: list[Any], count: int) -> list[Any]:
    """So many of them, from the first to the last."""
    if count >= len(points) or count < 2:
        return points[: max(1, count)]
    return [points[i * (len(points) - 1) // (count - 1)] for i in range(count)]


def _forgets(prompt_ids: Any, saved: Any, **how: Any) -> resume.ResumePlan:
    """The planted bug: the last saved token is not sent, so it, or another in its place, comes twice."""
    honest = resume.plain(prompt_ids, saved, max_tokens=how["max_tokens"])
    return replace(honest, prompt_ids=honest.prompt_ids[:-1]) if honest.kept else honest


# --- the scripted engine -------------------------------------------------------------------------------------------


def _scripted(points: list[tuple[int, Sampling]], seed: int, scratch: Path) -> list[str]:
    batch = [1, random.Random(seed).randrange(1, 5)]
    whole = {}
    failures = []
    with _home():
        for sampling in (GREEDY, SEEDED):
            whole[sampling] = asyncio.run(_draft(scratch / f"whole{sampling.temperature}", sampling, {"batch": batch}))
        for at, sampling in points:
            script = {"batch": batch, "die_at": at, "die_once": True}
            name = f"at token {at}, temperature {sampling.temperature}"
            events = asyncio.run(_draft(scratch / name.replace(" ", "-"), sampling, script))
            failures += [f"{what} ({name}, batches of {batch})" for what in _wrong(events, whole[sampling], at)]
    return failures


async def _draft(folder: Path, sampling: Sampling, script: Mapping[str, object]) -> list[Event]:
    create(folder, title="Salt")
    events: list[Event] = []
    desk = open_desk(folder, os.environ | _script(script), events.append)
    await desk.open()
    try:
        outcome = await desk.draft(DraftOrder(CHAPTER, INTRO), sampling)
        assert outcome.state is State.TRUNCATED, outcome
    finally:
        await desk.close()
    return events


def _script(script: Mapping[str, object]) -> dict[str, str]:
    return {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps(script)}


def _wrong(events: list[Event], whole: list[Event], at: int, told: int = 1) -> Iterator[str]:
    died = len(_ids(whole)) > at
    if _ids(events) != _ids(whole) or _text(events) != _text(whole):
        yield f"{len(_ids(events))} tokens, not the text of the undisturbed run"
    if len([e for e in events if isinstance(e, GenerationInterrupted)]) != died * told:
        yield f"the death was not told in {told} sentences"
    if len([e for e in events if isinstance(e, EngineAttached)]) != 1 + died:
        yield "not one restart"


def _ids(events: list[Event]) -> list[int]:
    return [i for event in events if isinstance(event, BatchCommitted) for i in event.token_ids]


def _text(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, BatchCommitted))


# --- real processes ------------------------------------------------------------------------------------------------


async def _processes(points: list[int], scratch: Path) -> list[str]:
    failures = []
    sampling = replace(SEEDED, max_tokens=KEPT_TOKENS)
    with _home():
        whole = await _kept(scratch / "whole", sampling, {})
        await stop_all()
        for how, at in [*(("KILL", at) for at in points), *(("STOP", at) for at in HANGS)]:
            where = f"SIG{how} at token {at}"
            fake = {"FAKE_DIE_AT": str(at), "FAKE_SIGNAL": how, "FAKE_DIED": str(scratch / f"{how}-{at}")}
            events = await _kept(scratch / f"m-{how}-{at}", sampling, fake)
            failures += [f"{what} ({where})" for what in _wrong(events, whole, at, told=1 + (how == "STOP"))]
            everyone = list(proc.everyone())
            await stop_all()
            left = [p.pid for p in everyone if _is_engine(p.pid) and proc.start_ticks(p.pid) == p.ticks]
            failures += [f"engine processes left: {left} ({where})"] if left else []
    return failures


def _is_engine(pid: int) -> bool:
    try:
        return str(locations.runtime_dir()).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


async def _kept(folder: Path, sampling: Sampling, fake: Mapping[str, str]) -> list[Event]:
    """A draft with an engine process of its own."""
    environ = {**os.environ, **fake, "PYTHONPATH": str(Path(__file__).parents[2])}

    def source(settings: object, given: object) -> EngineSource:
        return KeptEngine(EngineSettings(keep_warm=30), environ=environ, prepare=_prepare)

    quick = {"SILENCE": 2.0, "FIRST_SILENCE": 4.0, "SETTLING": 0.1, "PROBE": 2.0}
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(bootstrap, "engine_source", source))
        for name, value in quick.items():
            stack.enter_context(mock.patch.object(pulse, name, value))
        return await _draft(folder, sampling, {})


def _prepare(settings: EngineSettings, environ: Mapping[str, str], say: object) -> Prepared:
    socket = locations.runtime_dir() / _DIGEST / "s"
    argv = (sys.executable, str(Path(fake_server.__file__)), "--uds", str(socket))
    launch = Launch(argv, dict(environ), _DIGEST, fake_server.MODEL, "cpu", "float32", socket)
    return Prepared(launch, Path("/models/fake"), Fingerprint("m", "t", "float32 v1"), settings.model)


@contextmanager
def _home() -> Iterator[None]:
    """Short private places for sockets and state, and no wait for anything that is not there."""
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="w-")))
        places = {"CONFIG_HOME": "c", "STATE_HOME": "s", "DATA_HOME": "d", "CACHE_HOME": "k", "RUNTIME_DIR": "r"}
        variables = {f"XDG_{name}": str(root / place) for name, place in places.items()}
        stack.enter_context(mock.patch.dict(os.environ, variables))
        yield
