"""Whether a cache on disk pays: two lengths and one disk make a law, and the law a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.engine import tuning
from writer.engine.scripted import Script, ScriptedEngine, prefix_cache
from writer.engine.tuning import Measured, disk_speed, measure, remember, remembered, verdict
from writer.errors import EngineError

KIB128 = 128 * 1024


def measured(few: float, many: float, disk: float = 1e9, window: int = 65_536) -> Measured:
    """4,000 and 16,000 tokens in so many seconds."""
    return Measured(((4000, few), (16_000, many)), disk, KIB128, window)


def test_the_law_goes_through_what_was_measured() -> None:
    found = measured(0.5, 3.0)
    assert found.reading(4000) == pytest.approx(0.5)
    assert found.reading(16_000) == pytest.approx(3.0)
    assert found.reading(32_000) > 6.0  # longer texts take more for each token


def test_on_a_fast_gpu_it_does_not_pay() -> None:
    found = measured(0.11, 0.45, disk=6e9)  # an H200 with 8B
    assert found.loading(32_000) == pytest.approx(2.1, abs=0.05)  # vLLM's own limit, not the disk's
    assert found.pays_from() is None
    assert verdict(found).startswith("A cache on disk does not pay here: 10,000 tokens are read anew in 0.")
    assert verdict(found).endswith("Leave engine.kv_disk_gib at 0.")


def test_on_a_slow_gpu_it_always_pays() -> None:
    found = measured(4.0, 16.0)
    assert found.pays_from() == 0
    assert verdict(found).startswith("A cache on disk pays here: ")
    assert "Set engine.kv_disk_gib to 32 or more" in verdict(found)


def test_in_between_it_pays_from_a_length_on() -> None:
    found = measured(0.4, 2.2)
    start = found.pays_from()
    assert start is not None
    assert 0 < start < 65_536
    assert found.reading(start - 100) < found.loading(start - 100)
    assert found.reading(start + 100) > found.loading(start + 100)
    assert f"for texts longer than {start:,} tokens" in verdict(found)
    assert measured(0.4, 2.2, window=start - 1).pays_from() is None


def test_noise_is_no_law_that_makes_longer_texts_quicker() -> None:
    found = measured(0.5, 1.6)
    assert found.reading(8000) == pytest.approx(0.8)
    assert found.pays_from() is None


async def test_prompts_of_two_lengths_are_read_and_none_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "disk_speed", lambda folder: 1e9)
    script = Script(window=4096)
    seen: list[tuple[int, int]] = []
    engine = ScriptedEngine(script, prefix_cache(script))
    probe = engine.probe

    async def note(ids: list[int]) -> object:
        found = await probe(ids)
        seen.append((found.prompt_tokens, found.cached_tokens))
        return found

    monkeypatch.setattr(engine, "probe", note)
    found = await measure(engine, tmp_path, KIB128, lambda line: None)
    assert [tokens for tokens, _ in found.anew] == [1008, 4032]
    assert {cached for _, cached in seen} == {0}
    assert (found.disk, found.window) == (1e9, 4096)


async def test_a_window_without_room_is_told(tmp_path: Path) -> None:
    script = Script(window=512)
    with pytest.raises(EngineError, match=r"engine\.window"):
        await measure(ScriptedEngine(script, prefix_cache(script)), tmp_path, KIB128, lambda line: None)


def test_the_disk_is_really_read_and_left_as_it_was(tmp_path: Path) -> None:
    assert disk_speed(tmp_path, 16 * 2**20) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_cannot_be_tried_is_told(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="cannot be measured"):
        disk_speed(tmp_path / "nothing", 2**20)
    with pytest.raises(EngineError, match="nearly full"):
        disk_speed(tmp_path, 2**60)


def test_the_result_is_remembered(home: dict[str, str]) -> None:
    assert remembered() == {}
    remember(measured(4.0, 16.0), "novelist")
    assert (remembered()["pays"], remembered()["model"]) == (True, "novelist")
    file = Path(home["XDG_STATE_HOME"]) / "writer" / "tuned.json"
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("[")
    assert remembered() == {}
