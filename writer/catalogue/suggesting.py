"""From the table to a short list: what fits here and speaks the language, the most capable first. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from writer.catalogue.fitting import fit
from writer.catalogue.values import Listed, Machine, Suggestion


def suggest(models: Iterable[Listed], machine: Machine, language: str = "") -> tuple[Suggestion, ...]:
    """One suggestion for each model that speaks the language, those that fit first, the largest of them first.

    What does not fit comes last, the smallest first: it is what a little more memory would give.
    """
    found = [_best(model, machine) for model in models if model.speaks(language)]
    return tuple(sorted(found, key=lambda each: _rank(each, machine)))


def _best(model: Listed, machine: Machine) -> Suggestion:
    """The form with the finest weights that has the wanted context; else the one with the longest."""
    tried = [Suggestion(model, variant, fit(variant.weights, machine)) for variant in model.variants]
    fitting = [each for each in tried if each.fit.fits]
    if not fitting:
        return min(tried, key=lambda each: each.fit.needed)
    whole = [each for each in fitting if each.fit.context >= _wanted(each, machine)]
    if whole:
        return max(whole, key=lambda each: each.variant.weights.size)
    return max(fitting, key=lambda each: each.fit.context)


def _wanted(each: Suggestion, machine: Machine) -> int:
    return min(machine.window, each.variant.weights.context)


def _rank(each: Suggestion, machine: Machine) -> tuple[int, float]:
    if not each.fit.fits:
        return 2, each.model.parameters
    return (0 if each.fit.context >= _wanted(each, machine) else 1), -each.model.parameters
