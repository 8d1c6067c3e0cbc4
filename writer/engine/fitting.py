"""What a start on a GPU gets: which GPUs, which share of their memory, how long a window. Pure; told in plain words.

Measured only when an engine is really started, after others have ended: it is no part of what makes two launches equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from writer.config import EngineSettings
from writer.engine.appetite import Appetite
from writer.engine.hardware import Gpu
from writer.errors import EngineStartFailed, ModelUnusable
from writer.language import many, say, together

MOST_SHARE = 0.92  # vLLM's own default: the rest is for what PyTorch takes beside it
USUAL_SHARE = 0.85  # where the driver tells no memory
LONGEST = 65_536  # tokens of a window that nobody has asked for: a longer prompt takes long to read
USUAL_WINDOW = 8192
_LEAST_WINDOW = 2048
_ROUND = 128  # tokens: windows are rounded down to whole blocks of every kind
_GIB = 2**30
_IDLE = _GIB // 2  # bytes that a GPU without any other program has taken
_CONTEXT = 5 * _GIB // 4  # for the CUDA context, graphs, and what a step calculates with
_SMALL = 6 * _GIB  # of weights, and a quarter of a GPU: the GPUs' waiting for each other takes longer than they save
_SEQUENCES = 512  # rows of the vocabulary, as float32, that one step may hold


class NoRoom(EngineStartFailed):
    """Others hold the memory that the model needs; they may give it back."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What fits. `window` 0: as the settings or the model say. `visible` is empty if every GPU is taken as it is."""

    share: float
    window: int
    gpus: int = 1
    visible: tuple[str, ...] = ()
    sentence: str = ""
    staging: int = 0  # bytes of main memory through which a cache on disk goes
    tokens: int = 0  # of text that have room beside the model, by reckoning; 0 where nothing is known of it


def fit(settings: EngineSettings, gpus: Sequence[Gpu], model: Appetite, model_window: int) -> Fit:
    """What this model gets of these GPUs as they are now.

    Raises ModelUnusable if its weights are larger than the memory, NoRoom if others hold too much of it.
    """
    chosen = choose(settings.gpus, gpus, model)
    visible = tuple(gpu.number for gpu in chosen) if len(chosen) < len(gpus) else ()
    share = settings.gpu_memory or free_share(chosen)
    if not all(gpu.total_bytes for gpu in chosen):
        return Fit(share, settings.window or min(USUAL_WINDOW, model_window), len(chosen), visible)
    smallest = min(gpu.total_bytes for gpu in chosen)
    _require_room(model.weights // len(chosen), smallest, share)
    fp8 = settings.kv_cache == "fp8"
    room = int(share * smallest) - model.weights // len(chosen) - _overhead(model) - model.once(len(chosen), fp8=fp8)
    window = min(settings.window or USUAL_WINDOW, model_window)
    tokens = max(0, room) // max(1, model.per_token(len(chosen), fp8=fp8)) // _ROUND * _ROUND if model.known else 0
    if not settings.window and model.known:
        window = min(model_window, LONGEST, max(_LEAST_WINDOW, tokens))
    told = _told(share, window, chosen, asked=bool(settings.window))
    return Fit(share, window, len(chosen), visible, told, tokens=tokens)


def is_short(made: Fit, empty: Fit, wanted: int) -> bool:
    """Whether it is worth waiting for memory that comes back: less than half fits of what is wanted and would fit then.

    `empty`: the same on GPUs that nobody uses. `wanted`: tokens; 0 is as many as fit.
    """
    return made.tokens < min(wanted or LONGEST, empty.tokens) // 2  # half: a browser more or less is no reason to wait


def emptied(gpus: Sequence[Gpu]) -> list[Gpu]:
    """The same, as they are when no program uses them."""
    return [replace(gpu, free_bytes=gpu.total_bytes) for gpu in gpus]


def choose(wanted: int, gpus: Sequence[Gpu], model: Appetite) -> list[Gpu]:
    """The GPUs for one model: equal ones, as many as its heads can be divided among, those with most free memory.

    A small model gets one.
    Raises EngineStartFailed if more are wanted than there are, or than its heads can be divided among.
    """
    equals = max(_kinds(gpus), key=lambda kind: (sum(gpu.total_bytes for gpu in kind), len(kind)))
    if wanted > len(equals):
        raise EngineStartFailed(
            many(
                "engine.gpus is {wanted}, but {count} equal GPU was found. Correct it in the settings.",
                "engine.gpus is {wanted}, but {count} equal GPUs were found. Correct it in the settings.",
                len(equals),
                wanted=wanted,
            )
        )
    if wanted and not _divides(wanted, model):
        raise EngineStartFailed(
            say(
                "The model's {heads} heads cannot be divided among {wanted} GPUs. Set engine.gpus to 0 or to "
                "a number that divides them.",
                heads=model.heads,
                wanted=wanted,
            )
        )
    # Those that nothing is known of may be as unequal as can be.
    most = len(equals) if equals[0].total_bytes and not _is_small(model, equals[0].total_bytes) else 1
    count = wanted or next(n for n in (64, 32, 16, 8, 4, 2, 1) if n <= most and (n == 1 or _splits(n, model)))
    taken = sorted(equals, key=lambda gpu: -gpu.free_bytes)[:count]
    return [gpu for gpu in gpus if gpu in taken][:count]


def _kinds(gpus: Sequence[Gpu]) -> list[list[Gpu]]:
    kinds: dict[tuple[str, int], list[Gpu]] = {}
    for gpu in gpus:
        kinds.setdefault((gpu.name if gpu.total_bytes else "", gpu.total_bytes), []).append(gpu)
    return list(kinds.values())


def _is_small(model: Appetite, total: int) -> bool:
    return model.weights <= min(_SMALL, total // 4)


def _divides(count: int, model: Appetite) -> bool:
    return count == 1 or not model.heads or model.heads % count == 0


def _splits(count: int, model: Appetite) -> bool:
    """Whether each GPU gets whole heads of both kinds, so that no memory is spent twice."""
    return bool(model.heads) and model.heads % count == 0 and (model.shared or model.kv_heads % count == 0)


def free_share(gpus: Sequence[Gpu]) -> float:
    """The part of the memory that may be taken, so that what others have on a screen has room to grow."""
    if not all(gpu.total_bytes for gpu in gpus):
        return USUAL_SHARE
    return max(0.0, min(MOST_SHARE, *(_free_of(gpu) for gpu in gpus)))


def _free_of(gpu: Gpu) -> float:
    taken = gpu.total_bytes - gpu.free_bytes
    headroom = 3 * _GIB // 4 if taken < _IDLE else max(_GIB, gpu.total_bytes // 20)  # also for the engine's own context
    return int((gpu.free_bytes - headroom) / gpu.total_bytes * 100) / 100  # rounded down


def _overhead(model: Appetite) -> int:
    return _CONTEXT + _SEQUENCES * model.vocabulary * 4


def _require_room(weights: int, total: int, share: float) -> None:
    need = weights + _CONTEXT
    if need > total:
        raise ModelUnusable(
            say(
                "The model's weights take {weights:.1f} GiB on each GPU, which has {total:.1f} GiB in all. "
                "Choose a smaller model, or the same one quantised (AWQ, GPTQ or FP8).",
                weights=weights / _GIB,
                total=total / _GIB,
            )
        )
    if need > share * total:
        raise NoRoom(
            say(
                "The model needs {need:.1f} GiB of each GPU, but only {share:.1f} GiB may be taken: other "
                "programs hold the rest, or engine.gpu_memory is too low. Close them or correct it, then try "
                "again.",
                need=need / _GIB,
                share=share * total / _GIB,
            )
        )


def _told(share: float, window: int, chosen: Sequence[Gpu], *, asked: bool) -> str:
    where = say("{chosen} GPUs share the model;", chosen=len(chosen)) if len(chosen) > 1 else ""
    what = (
        say("a window of {window:,} tokens is asked for, with {share:.0%} of the GPU's memory…")
        if asked
        else say("a window of {window:,} tokens fits, with {share:.0%} of the GPU's memory…")
    )
    return together(where, what.format(window=window, share=share))
