"""Keeps the garbage collector out of the way of painting."""

from __future__ import annotations

import gc

_RARELY = (10_000, 20, 100)
"""Thresholds: a painted frame leaves a hundred cyclic objects of Textual."""


def hold_collection() -> None:
    """Call before anything is imported: modules stay, and looking through them again and again finds nothing."""
    gc.disable()


def resume_collection() -> None:
    """Call once the first frame is painted. What is there by then stays, so it is not looked at again."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*_RARELY)
        gc.enable()


def settle_memory() -> None:
    """Call once everything is loaded: what lives now is not looked at again, and pauses become rare and short."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_RARELY)


def leave_alone() -> None:
    """Call once a text is loaded, measured and counted: a long one is a hundred thousand objects that stay.

    What is garbage at this moment stays too, so this is not for every change.
    """
    gc.freeze()
