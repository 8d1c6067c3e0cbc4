from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from writer.editing import estimate, wrapping

WORDS = ["the", "of", "and", "river", "window", "remembered", "between", "forgotten", "lantern", "only", "like"]
CHARACTERS = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子，。"


def english(length: int) -> str:
    chosen = random.Random(length)
    return " ".join(chosen.choice(WORDS) for _ in range(length // 6))


def chinese(length: int) -> str:
    chosen = random.Random(length)
    return "".join(chosen.choice(CHARACTERS) for _ in range(length))


@pytest.mark.parametrize("width", [24, 60, 118])
@pytest.mark.parametrize("make", [english, chinese, lambda length: english(length).replace("e", "é")])
def test_an_estimate_is_near_the_truth(make: Callable[[int], str], width: int) -> None:
    estimated = exact = 0
    for length in range(100, 3000, 100):
        text = make(length)
        breaks: list[int] = []
        wrapping.wrap(text, width, 0, breaks)
        estimated += estimate.rows(text, width)
        exact += len(breaks) + 1
    assert abs(estimated - exact) < exact * 0.1


@pytest.mark.parametrize(("text", "width"), [("", 1), ("", 80), ("word", 80), ("w" * 80, 80), ("章" * 40, 80)])
def test_what_surely_fits_takes_one_row(text: str, width: int) -> None:
    assert estimate.rows(text, width) == 1


def test_any_width_will_do() -> None:
    assert estimate.rows("lantern", 1) == 7
    assert estimate.rows("章" * 7, 1) >= 7
