"""A start that fails is tried again by itself where that may help: once for each reason, and told each time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from keeping import Said, Source, folder

from writer.config import EngineSettings
from writer.engine import keepers, second_try
from writer.engine.fault_row import Recovery
from writer.engine.faults import Fault
from writer.engine.keeper_state import KeeperFolder, Order
from writer.engine.second_try import SecondTry
from writer.engine.windows import expected, remember, remember_model, remembered, smaller
from writer.errors import EngineStartFailed


def fault(recovery: Recovery, **known: float) -> Fault:
    return Fault("machine", "It failed.", "Start again.", recovery, int(known.get("fits", 0)), known.get("free", 0.0))


async def test_what_may_be_chance_is_tried_once_more(source: Source, tmp_path: Path) -> None:
    said = Said()
    await source(FAKE_FAIL="gpu_profiling", FAKE_ONCE=str(tmp_path / "failed")).acquire(said)
    assert said[-1].state == "ready"
    assert any("once more" in status.sentence for status in said)


async def test_and_only_once(source: Source) -> None:
    said = Said()
    with pytest.raises(EngineStartFailed, match="measuring"):
        await source(FAKE_FAIL="gpu_profiling").acquire(said)
    assert sum(status.state == "failed" for status in said) == 2


async def test_what_would_happen_again_is_not_tried_again(source: Source) -> None:
    said = Said()
    with pytest.raises(EngineStartFailed, match="driver"):
        await source(FAKE_FAIL="gpu_driver_old").acquire(said)
    assert sum(status.state == "failed" for status in said) == 1


async def test_the_window_that_fits_is_used_told_and_remembered(source: Source) -> None:
    said = Said()
    await source(FAKE_FITS="4448").acquire(said)
    assert any("4,352 tokens" in status.sentence for status in said)
    assert remembered("0a1b2c3d") == 4352
    again = Said()
    await source(FAKE_FITS="4448").acquire(again)
    assert not [status for status in again if status.state == "failed"]


async def test_a_window_too_small_to_write_in_is_refused_with_the_number(source: Source) -> None:
    with pytest.raises(EngineStartFailed, match="300 tokens"):
        await source(FAKE_FITS="300").acquire(Said())
    assert remembered("0a1b2c3d") == 0


async def test_a_gpu_that_others_fill_is_shared(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_try, "FREED_LATE", 0.0)
    said = Said()
    await source(FAKE_SHARE="0.5").acquire(said)
    assert any("48% of the GPU" in status.sentence for status in said)


async def test_memory_that_comes_back_late_is_waited_for() -> None:
    seen = [0.2, 0.2, 0.95]

    def share(environ: Mapping[str, str]) -> float:
        return seen.pop(0)

    order = SecondTry(EngineSettings(gpu_memory=0.85), {}, share)
    assert await order.worth(fault(Recovery.LOWER, free=0.2), Said())
    assert order.settings.gpu_memory == 0.85
    assert not await order.worth(fault(Recovery.LOWER, free=0.2), Said())  # not twice


async def test_a_gpu_with_nothing_free_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_try, "FREED_LATE", 0.0)
    order = SecondTry(EngineSettings(gpu_memory=0.85), {}, lambda environ: 0.1)
    assert not await order.worth(fault(Recovery.LOWER, free=0.1), Said())


async def test_unknown_shares_are_lowered_a_little() -> None:
    order = SecondTry(EngineSettings(gpu_memory=0.8), {})
    assert await order.worth(fault(Recovery.LOWER), Said())
    assert order.settings.gpu_memory == pytest.approx(0.72)


async def test_what_took_the_free_memory_measures_it_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_try, "_BREATH", 0.0)
    order = SecondTry(EngineSettings(), {})
    assert await order.worth(fault(Recovery.LOWER, free=0.3), Said())
    assert order.settings == EngineSettings()  # so that it stays the same launch
    assert not await order.worth(fault(Recovery.LOWER, free=0.3), Said())


async def test_a_window_that_was_measured_gives_way_to_the_one_that_fits() -> None:
    order = SecondTry(EngineSettings(), {})
    assert await order.worth(fault(Recovery.FIT, fits=5000), Said())
    assert order.settings.window == 4992


def test_as_large_as_fits_is_larger_than_any_window() -> None:
    assert smaller(4096, 0)
    assert smaller(4096, 8192)
    assert not smaller(0, 8192)
    assert not smaller(8192, 8192)


def test_the_window_of_a_model_is_expected_to_be_what_fitted_the_last_time(home: dict[str, str]) -> None:
    assert expected(0, 32768, "abc") == 8192
    remember_model("abc", 20_480)
    assert expected(0, 32768, "abc") == 20_480
    assert expected(4096, 32768, "abc") == 4096
    assert expected(0, 2048, "abc") == 2048
    assert expected(0, 32768, "another") == 8192


def test_a_memory_of_windows_that_is_nonsense_is_none(home: dict[str, str]) -> None:
    file = Path(home["XDG_STATE_HOME"]) / "writer" / "windows.json"
    remember("aaaaaaaa", 2048)
    for text in ("", "[]", "{", '{"aaaaaaaa": "x"}', '{"aaaaaaaa": -5}'):
        file.write_text(text)
        assert remembered("aaaaaaaa") == 0
    for number in range(60):
        remember(f"{number:08}", 1024)
    assert remembered("00000059") == 1024
    assert remembered("00000001") == 0
    assert file.stat().st_mode & 0o077 == 0


async def test_a_start_without_a_word_is_ended(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    start = keepers.start

    def impatient(place: KeeperFolder, order: Order) -> None:
        start(place, replace(order, patience=0.5))

    monkeypatch.setattr(keepers, "start", impatient)
    said = Said()
    with pytest.raises(EngineStartFailed, match="said nothing"):
        await asyncio.wait_for(source(FAKE_DELAY="60").acquire(said), 30)
    assert sum(bool(re.search("said nothing", status.sentence)) for status in said) == 2  # and once more, in vain
    assert not folder().note_file.exists()
