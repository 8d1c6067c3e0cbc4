"""A long text is not looked through by the garbage collector while another is being written into (P13)."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from drawn import drawing

LONG = "\n".join(f"line {number}" for number in range(20_000))


@pytest.fixture
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


async def test_a_text_that_was_loaded_is_left_alone_once_it_is_measured(thawed: None) -> None:
    async with drawing() as desk:
        gc.unfreeze()
        desk.editor.load(LONG)
        await desk.until(lambda: not desk.editor.count.startswith("counting") and gc.get_freeze_count())
        assert gc.get_freeze_count() > 20_000
        frozen = gc.get_freeze_count()
        await desk.press("x", " ")
        await desk.until(lambda: desk.editor.count == "40,001 words")
        assert gc.get_freeze_count() <= frozen
