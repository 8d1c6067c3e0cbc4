"""Keeps the garbage collector out of the way of painting."""

from __future__ import annotations

import gc


def settle_memory() -> None:
    """Call once everything is loaded: what lives now is not looked at again, and pauses become rare and short."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 100)  # a painted frame leaves a hundred cyclic objects of Textual


def leave_alone() -> None:
    """Call once a text is loaded, measured and counted: a long one is a hundred thousand objects that stay.

    What is garbage at this moment stays too, so this is not for every change.
    """
    gc.freeze()
