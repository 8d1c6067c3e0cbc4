"""One engine over all equal GPUs, as it is chosen without a setting, and over one of them. G1.

What several GPUs gain; whether a text that was cut goes on with the same tokens, also behind a kill -9 of the engine,
and of the app on a terminal; whether freeing the GPU frees them all; and that no process is left, neither behind that
kill nor at the end. With `--pairs 0` it is not held against one GPU.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from benchmarks.batch import sampling_for
from benchmarks.drafts import drafted
from benchmarks.exactness import SAMPLERS, Cell, Row, stream, tried, written
from benchmarks.freeing import ROOM, longest, once, taken
from benchmarks.ground import Ground, ground
from benchmarks.meter import median
from benchmarks.pairs import told
from benchmarks.relaunch import Relaunched, enough, relaunched
from benchmarks.resume import prompt_of, until_first
from benchmarks.stream import INTRO
from benchmarks.targets import Measure, Plan, Reading
from writer.engine import proc
from writer.errors import EngineError
from writer.generation.model import Sampling

DRAWN = ("greedy", "temperature", "top-p", "repetition")
"""Ways to draw words that any engine offers, each with the plan's cuts."""
_USED = 1.0
"""Gigabytes: a GPU that holds so many more than before has a part of the model."""
KILLS = 2
"""Of the app."""
_PATIENCE = 30.0
Speed = tuple[list[float], list[float]]
"""Tokens per second of one text; milliseconds until the first token of an unread prompt."""


def over_all(plan: Plan) -> list[Reading]:
    """G1. Raises SystemExit where there is one GPU, or none."""
    before = taken()
    if len(before) < 2:
        raise SystemExit("There are no two GPUs here. Run this bench where there are.")
    with ground(plan) as place:
        used = sum(now - then > _USED for now, then in zip(taken(), before, strict=True))
        readings = _said([Reading("GPUs that hold a part of the model", used, len(before), "", least=True)])
        readings += _said(_cut_and_killed(place, plan))
        readings += _said(_freed(place, before))
        speed = _speed(place, plan)
        readings += _said(_told(speed, "all GPUs"))
        readings += _said(_apps_killed(place, plan, median(speed[0])))
        family = _family(place)
    readings += _said([_gone("processes left when the engine was stopped", family)])
    return readings + (_gained(speed, plan) if plan.pairs else [])


ONCE = True
TARGETS: dict[str, Measure] = {"G1": over_all}


def _said(readings: list[Reading]) -> list[Reading]:
    """The same, told at once: a run with a large model takes long, and may be ended before its table."""
    sys.stderr.writelines(f"{each.what}: {each.value:.4g} {each.absolute}\n" for each in readings)
    sys.stderr.flush()
    return readings


def _cut_and_killed(place: Ground, plan: Plan) -> list[Reading]:
    """Cuts with a warm engine; then a kill -9 of it, and the same cuts again."""
    texts = {name: place.held.run(written(SAMPLERS[name], plan.tokens)) for name in DRAWN}
    rows: dict[str, Row] = {}
    for name, wholes in texts.items():
        rows[name] = {place_: Cell() for place_ in ("aligned", "plain", "aligned restart", "plain restart")}
        place.held.run(tried(rows[name], wholes, plan, beside=False, restart=False))
    family = _family(place)
    seconds = _killed(place)
    for name, wholes in texts.items():
        place.held.run(tried(rows[name], wholes, plan, beside=False, restart=True))
    way = "aligned" if place.held.engine.facts.aligned else "plain"
    return [
        _same(f"the same tokens behind a cut, {way}", rows, way),
        _same(f"the same behind a kill -9 of the engine, {way}", rows, f"{way} restart"),
        Reading("from the kill to the next engine's first token", seconds, None, "s"),
        _gone("processes left by the killed engine", family),
    ]


def _same(what: str, rows: dict[str, Row], column: str) -> Reading:
    cells = [row[column] for row in rows.values()]
    same, cuts = sum(cell.same for cell in cells), sum(cell.cuts for cell in cells)
    return Reading(what, same / cuts, 1.0, absolute=f"{same}/{cuts} cuts", least=True)


def _killed(place: Ground) -> float:
    if family := _family(place):
        os.kill(victim(family).pid, signal.SIGKILL)
        _left(family[:1])
    return place.held.renew()


def victim(family: Sequence[proc.Process]) -> proc.Process:
    """Which process of the engine is killed: its server."""
    return family[0]


def _family(place: Ground) -> list[proc.Process]:
    """The server and all that it has started; its keeper lives on."""
    pid = place.held.server()
    server = proc.look(pid) if pid else None
    return [server, *proc.descendants(server.pid)] if server else []


def _gone(what: str, family: Sequence[proc.Process]) -> Reading:
    """How many of them live on; they are given some time."""
    return Reading(what, _left(family), 0, "", f"of {len(family)}")


def _left(family: Sequence[proc.Process]) -> int:
    """How many live on when there is none, or when nobody waits any longer."""
    end = time.monotonic() + _PATIENCE
    while (left := sum(proc.start_ticks(each.pid) == each.ticks for each in family)) and time.monotonic() < end:
        time.sleep(0.1)  # the poll's interval, not a condition
    return left


def _apps_killed(place: Ground, plan: Plan, rate: float) -> list[Reading]:
    """The whole app, killed while it writes; the whole text against one that was never cut."""
    found: list[tuple[Relaunched, int]] = []
    for number in range(1 if plan.quick else KILLS):
        cut = relaunched(place, longest(place, plan), number, enough(place, plan, rate))
        drawn = Sampling(**cut.generation["sampling"])
        whole = place.held.run(partial(stream, prompt=cut.prompt_ids, sampling=drawn, tokens=len(cut.token_ids)))
        found.append((cut, alike(whole.token_ids, cut.token_ids)))
    same = sum(equal == len(cut.token_ids) for cut, equal in found) / len(found)
    until = ", ".join(f"{equal:,} of {len(cut.token_ids):,} (killed at {cut.written:,})" for cut, equal in found)
    seconds = [cut.seconds for cut, _ in found]
    return [
        Reading("the same tokens behind a kill -9 of the app", same, 1.0, absolute=f"equal: {until}", least=True),
        Reading("from the app's start to its next word", median(seconds), None, "s", told(seconds, "s", ".2f")),
        Reading("tokens on the screen that were lost", max(cut.lost for cut, _ in found), 0.0, ""),
    ]


def alike(some: Sequence[int], others: Sequence[int]) -> int:
    """How many tokens are the same before the first that is not."""
    return next((n for n, (a, b) in enumerate(zip(some, others, strict=False)) if a != b), min(len(some), len(others)))


def _freed(place: Ground, before: Sequence[float]) -> list[Reading]:
    """All GPUs are freed, and taken again."""
    if not place.held.engine.facts.can_sleep:
        return []
    freed = once(place)
    most = max(now - then for now, then in zip(freed.asleep, before, strict=True))
    return [
        Reading("pause and free the GPUs", freed.down, None, "s"),
        Reading("take the GPUs again", freed.up, None, "s"),
        Reading("memory of the fullest GPU while it sleeps", most, None, "GB", f"awake {max(freed.awake):.1f} GB"),
    ]


def _speed(place: Ground, plan: Plan) -> Speed:
    length = longest(place, plan)
    source, rates, first = random.Random(length), list[float](), list[float]()
    for number in range((plan.pairs or 3) + 1):  # all is warm behind the first
        book = place.manuscript(
            f"spread-{number}", INTRO, seed=number + 1, max_tokens=plan.tokens, min_tokens=plan.tokens
        )
        rates.append(drafted(book)[0].rate)
        prompt = prompt_of(source, length)
        first.append(place.held.run(until_first(prompt, sampling_for(place, ROOM, number))) * 1000)
    return rates[1:], first[1:]


def _gained(speed: Speed, plan: Plan) -> list[Reading]:
    """Against one GPU, if the model fits on it."""
    alone = replace(plan, settings=(*plan.settings, "gpus=1"))
    try:
        with ground(alone) as place:
            if place.settings.engine.gpus != 1:
                raise SystemExit("Run this bench by itself: it needs two engines, one after the other.")
            one = _speed(place, alone)
    except EngineError as refused:
        return [Reading("one GPU", float("nan"), absolute=str(refused))]
    return [
        _ratio("tokens/s of one text, all GPUs : one", speed[0], one[0], "tokens/s"),
        _ratio("first token of an unread prompt, one GPU : all", one[1], speed[1], "ms"),
    ]


def _told(speed: Speed, by: str) -> list[Reading]:
    return [
        Reading(f"tokens/s of one text, {by}", median(speed[0]), None, "", told(speed[0], "tokens/s")),
        Reading(f"first token of an unread prompt, {by}", median(speed[1]), None, "ms", told(speed[1], "ms")),
    ]


def _ratio(what: str, ours: Sequence[float], theirs: Sequence[float], unit: str) -> Reading:
    return Reading(what, median(ours) / median(theirs), absolute=f"{told(ours, unit)} : {told(theirs, unit)}")
