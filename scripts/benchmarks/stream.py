"""What a reader sees of an engine's speed: tokens per second on the screen, against raw vLLM. S1.

The app is the real one, in a pseudo-terminal: every batch is committed to the disk (FULL), then painted. The baseline
is vLLM's AsyncLLM in a bare script, with the same model, flags, prompt and sampling. Both engines are up all the time
and only one of them works.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.drafts import drafted, read_in_the_app
from benchmarks.ground import Ground, ground
from benchmarks.pairs import against
from benchmarks.raw import Raw, raw
from benchmarks.targets import Measure, Plan, Reading
from writer.generation.sampling import Sampling, sampling_of
from writer.manuscript.model import Manuscript

INTRO = "The lamp had gone out an hour before the ship was seen, and nobody in the village would say why."
GOALS = {"cpu": 0.97, "gpu": 0.98, "scripted": 0.0}


def as_read(plan: Plan) -> list[Reading]:
    """S1: the app with its screen; the desk without one, as information."""
    with ground(plan) as place, raw(place) as bare:
        rates = _rates(place, bare, plan)
        device = place.held.engine.facts.device
    goal = GOALS.get(device)
    return [
        against("tokens/s on the screen : raw vLLM", rates["app"], rates["raw"], goal, "tokens/s"),
        against("tokens/s committed, without a screen : raw vLLM", rates["desk"], rates["raw"], None, "tokens/s"),
    ]


ONCE = True
TARGETS: dict[str, Measure] = {"S1": as_read}


def _rates(place: Ground, bare: Raw, plan: Plan) -> dict[str, list[float]]:
    """Tokens per second of each side, in turn: A B C, C B A."""
    rates: dict[str, list[float]] = {"app": [], "desk": [], "raw": []}
    warm = read_in_the_app(_manuscript(place, plan, "warm", 0))  # all are warm behind this
    prompt = warm.generation["prompt_ids"]
    bare.stream([prompt], _sampling(place, plan, 0), plan.tokens)
    for number in range(1, plan.pairs + 1):
        sides: dict[str, Callable[[int], float]] = {
            "app": lambda seed: read_in_the_app(_manuscript(place, plan, f"app-{seed}", seed)).rate,
            "desk": lambda seed: drafted(_manuscript(place, plan, f"desk-{seed}", seed))[0].rate,
            "raw": lambda seed: bare.stream([prompt], _sampling(place, plan, seed), plan.tokens).rate,
        }
        for name in sorted(sides, reverse=number % 2 == 0):
            rates[name].append(sides[name](number))
    return rates


def _manuscript(place: Ground, plan: Plan, name: str, seed: int) -> Manuscript:
    return place.manuscript(name, INTRO, seed=seed or 99, max_tokens=plan.tokens, min_tokens=plan.tokens)


def _sampling(place: Ground, plan: Plan, seed: int) -> Sampling:
    drawn = sampling_of(place.settings.writing, seed=seed or 99)
    return replace(drawn, max_tokens=plan.tokens, min_tokens=plan.tokens)
