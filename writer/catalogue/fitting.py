"""Does a model fit, and with how much text? Pure arithmetic: weights, what each token of text keeps, a reserve.

It errs on the side of "no". The engine measures for itself when it starts, and takes a smaller window if it must.
"""

from __future__ import annotations

from writer.catalogue.values import PLAIN, Fit, Machine, Weights, gigabytes
from writer.language import say

GPU_RESERVE, CPU_RESERVE = 2_000_000_000, 2_000_000_000
"""Bytes beside weights and text: each GPU's own calculation, the engine's processes."""
LEAST = 4096
"""Tokens below which nothing sensible can be written on."""
_WIDTH = {"fp32": 4}
_MIB = 2**20


def fit(weights: Weights, machine: Machine) -> Fit:
    """Whether this model can write on this machine, and how long prompt and text together may be."""
    if machine.device == "cpu":
        return _on_cpu(weights, machine)
    available = int(min(machine.total * machine.share, machine.free)) if machine.total else 0
    needed = weights.size + GPU_RESERVE * machine.gpus
    context = _context(available - needed, kv_bytes(weights, 2), weights)
    return _judged(weights, machine, Fit(True, context, needed + _least(weights) * kv_bytes(weights, 2), available))


def kv_bytes(weights: Weights, width: int) -> int:
    """Bytes that one token of text keeps, if a number takes `width` bytes."""
    return weights.kv_values * width


def _on_cpu(weights: Weights, machine: Machine) -> Fit:
    width = 4 if machine.wide else 2
    size = weights.size * width // _WIDTH.get(weights.quantisation, 2)
    needed = size + CPU_RESERVE + machine.kv_cache
    if weights.quantisation not in PLAIN:
        why = say("Weights in {quantisation} need a GPU.", quantisation=weights.quantisation)
        return Fit(False, 0, needed, machine.free, why)
    context = _context(machine.kv_cache, kv_bytes(weights, width), weights)
    if context >= _least(weights):
        return _judged(weights, machine, Fit(True, context, needed, machine.free))
    wanted = -(-_least(weights) * kv_bytes(weights, width) // _MIB)
    needed += wanted * _MIB - machine.kv_cache
    return _judged(weights, machine, Fit(True, _least(weights), needed, machine.free, room=wanted * _MIB))


def _judged(weights: Weights, machine: Machine, found: Fit) -> Fit:
    if not found.available:
        whose = say("The GPU") if machine.device == "gpu" else say("The machine")
        return Fit(False, 0, found.needed, 0, say("{whose} does not tell its free memory.", whose=whose))
    if found.context < _least(weights) or found.needed > found.available:
        why = say(
            "It needs about {needed}; {available} can be had.",
            needed=gigabytes(found.needed),
            available=gigabytes(found.available),
        )
        return Fit(False, 0, found.needed, found.available, why)
    return found


def _least(weights: Weights) -> int:
    return min(LEAST, weights.context) if weights.context > 0 else LEAST


def _context(room: int, each: int, weights: Weights) -> int:
    """Tokens that `room` bytes hold, of `each` bytes, at most the model's own context."""
    if room <= 0:
        return 0
    held = room // each if each > 0 else weights.context
    return max(0, min(held, weights.context) if weights.context > 0 else held)
