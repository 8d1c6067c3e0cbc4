"""Waiting for conditions. Tests never sleep in place of one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(predicate: Callable[[], T], seconds: float = 10.0, *, what: str = "") -> T:
    """The first true value of `predicate`; AssertionError once `seconds` have passed without one."""
    deadline = time.monotonic() + seconds
    while not (value := predicate()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what or predicate}"
        time.sleep(0.01)  # the poll's interval, not a condition
    return value
