"""writer beside what else one could use, on the same machine with the same model. C1.

writer is the whole app. Raw vLLM and transformers are bare scripts, which hold their model themselves: with the script
its engine is gone, and so is all that it has written. llama.cpp is a server, with the small model's GGUF as it is (4
bits; the others have it in full). "A pause" is a text that was stopped and goes on; "app restart" is a kill -9 of what
the author looks at; "engine restart" of everything.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.batch import sampling_for
from benchmarks.drafts import read_in_the_app
from benchmarks.ground import Ground, ground
from benchmarks.llama import command, llama
from benchmarks.memory import held_by
from benchmarks.raw import Child, Raw, raw, transformers
from benchmarks.relaunch import enough, relaunched, started
from benchmarks.resume import Paused, prompt_of
from benchmarks.stream import INTRO
from benchmarks.targets import Measure, Plan, Reading
from writer.engine import proc
from writer.generation.model import Sampling

ONCE = True
FIGURES = {
    "rate": "tokens/s as read",
    "pause": "first token after a pause, ms",
    "app": "first word after an app restart, s",
    "engine": "first word after an engine restart, s",
    "lost": "tokens lost when killed",
    "memory": "main memory in all, MB",
}
_OPENED = 16
"""Tokens of a paused text that are written before and behind the pause."""


@dataclass(slots=True)
class Peer:
    """What was measured of one of them, in the units of FIGURES."""

    rate: float = float("nan")
    pause: float = float("nan")
    app: float = float("nan")
    engine: float = float("nan")
    lost: float = float("nan")
    memory: float = float("nan")


def beside(plan: Plan) -> list[Reading]:
    """C1: a row for each figure and peer, as peer : writer; values of both beside it."""
    length = plan.lengths[0]
    with ground(plan) as place:
        ours = writer(place, plan, length)
        place.held.stop()
        peers = {
            "raw vLLM": script(lambda: raw(place), place, plan, length),
            "transformers": script(lambda: transformers(place), place, plan, length),
            "llama.cpp": server(place, plan, length),
        }
    return [reading for name, peer in peers.items() for reading in as_readings(name, peer, ours, length)]


TARGETS: dict[str, Measure] = {"C1": beside}


def as_readings(name: str, peer: Peer | None, ours: Peer, length: int) -> list[Reading]:
    """Peer : writer, for each figure."""
    if peer is None:
        return [Reading(f"{name}: not here", float("nan"))]
    readings = []
    for figure, what in FIGURES.items():
        mine, theirs = getattr(ours, figure), getattr(peer, figure)
        at = f", prompt of {length:,} tokens" if figure in ("pause", "app", "engine") else ""
        absolute = f"{theirs:.4g} : {mine:.4g}{at}"
        readings.append(Reading(f"{name} : writer, {what}", theirs / mine if mine else theirs, absolute=absolute))
    return readings


def writer(place: Ground, plan: Plan, length: int) -> Peer:
    """The whole app. What it loses by kill -9 is counted on the screen: what stood there and is not in the journal."""
    novel = place.manuscript("novel", INTRO, max_tokens=plan.tokens, min_tokens=plan.tokens, seed=3)
    found = Peer(rate=read_in_the_app(novel).rate)
    source, folder = random.Random(1), place.manuscript("paused").folder
    for number in range(2):
        text = Paused(folder, sampling_for(place, 4 * _OPENED, number), prompt_of(source, length), _OPENED)
        found.pause = asyncio.run(text.measured())[1] * 1000
    killed = relaunched(place, length, 1, enough(place, plan))
    found.app, found.lost, found.memory = killed.seconds, killed.lost, killed.megabytes + engine_megabytes(place)
    found.engine = started(place, killed.prompt_ids)
    return found


def engine_megabytes(place: Ground) -> float:
    """Main memory of all processes of the engine; none if there is no engine but the script."""
    server = place.held.server()
    return held_by([server, *below(server)]) if server else 0.0


def script(start: Callable[[], AbstractContextManager[Raw]], place: Ground, plan: Plan, length: int) -> Peer:
    """A bare script. Whoever starts it anew waits for the engine, and for all of the text to be read."""
    source, sampling = random.Random(2), sampling_for(place, plan.tokens, 3)
    begun = time.perf_counter()
    with start() as peer:
        ready = time.perf_counter() - begun
        rate = read_by(peer, source, sampling, plan.tokens)
        prompt = prompt_of(source, length)
        first = peer.stream([prompt], sampling, _OPENED)
        again = peer.stream([(*prompt, *first.ids[0])], sampling, _OPENED)
        memory = held_by([peer.process.pid, *below(peer.process.pid)]) if isinstance(peer, Child) else 0.0
    return Peer(rate, again.first * 1000, ready + first.first, ready + first.first, plan.tokens, memory)


def below(pid: int) -> list[int]:
    """All processes that this one has started."""
    return [process.pid for process in proc.descendants(pid)]


def read_by(peer: Raw, source: random.Random, sampling: Sampling, tokens: int) -> float:
    """Tokens per second of a short prompt, warm."""
    peer.stream([prompt_of(source, 32)], sampling, 4)
    return peer.stream([prompt_of(source, 32)], replace(sampling, max_tokens=tokens), tokens).rate


def server(place: Ground, plan: Plan, length: int) -> Peer | None:
    """llama.cpp: the cache of its slot is in memory for the first two, and in a file for the third."""
    window = length + 4 * plan.tokens
    slots = Path(place.folder) / "slots"
    slots.mkdir(exist_ok=True)
    if place.scripted or place.settings.engine.model or command(0, slots, window) is None:
        return None
    source, sampling = random.Random(2), sampling_for(place, plan.tokens, 3)
    with llama(slots, window) as peer:
        rate = read_by(peer, source, sampling, plan.tokens)
        prompt = prompt_of(source, length)
        text = [(*prompt, *peer.stream([prompt], sampling, _OPENED).ids[0])]
        again = peer.stream(text, sampling, 4).first
        peer.keep("slot")
        memory = held_by([peer.pid])
    begun = time.perf_counter()
    with llama(slots, window) as peer:
        peer.bring_back("slot")
        peer.stream(text, sampling, 4)
        restarted = time.perf_counter() - begun
    return Peer(rate, again * 1000, again, restarted, plan.tokens, memory)
