"""The bench of several GPUs runs from end to end with the scripted engine and two GPUs that are played."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable

import pytest
from benchmarks.__main__ import main
from benchmarks.shapes import LLAMA_8B, SHAPES
from benchmarks.spread import alike
from benchmarks.window import CALM

from writer.engine.hardware import Gpu, Hardware

TOTAL = 100_000_000_000


def machine(*free: float) -> Hardware:
    """A machine whose GPUs have so much of their memory free, as a share."""
    return Hardware(
        gpus=tuple(Gpu("played", TOTAL, int(TOTAL * each)) for each in free),
        cores=2,
        ram_bytes=TOTAL,
        free_ram_bytes=TOTAL,
    )


@pytest.fixture
def played(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def play(second: float) -> None:
        """The model lies on the first GPU, and takes so much of the second from the second look on."""
        looks = itertools.chain([machine(1.0, 1.0)], itertools.repeat(machine(0.5, second)))
        monkeypatch.setattr("benchmarks.freeing.detect", lambda *_, **__: next(looks))

    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    monkeypatch.setenv("WRITER_SCRIPT", '{"can_sleep": true, "tokens_per_second": 100}')
    monkeypatch.setattr("benchmarks.relaunch.WRITING", 0.3)
    monkeypatch.setitem(CALM, "seconds", 1.5)  # a busy machine lets an app stand still for a while
    return play


def measured(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, dict[str, object]]:
    main(["spread", "--quick", "--json", "--tokens", "120", *more])
    found: dict[str, dict[str, object]] = json.loads(capsys.readouterr().out.splitlines()[-1])["targets"]["G1"]["parts"]
    return found


def test_a_quick_run_measures_all_of_it(played: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    played(0.5)
    parts = measured(capsys)
    assert [name for name, part in parts.items() if not part["met"]] == []
    behind = str(parts["the same tokens behind a kill -9 of the app"]["absolute"])
    assert re.fullmatch(r"equal: ([\d,]+) of \1 \(killed at [\d,]+\)", behind), behind
    for what in ("hold a part", "behind a cut", "kill -9", "left", "pause and free", "all GPUs : one", "one GPU : all"):
        assert any(what in name for name in parts)


def test_an_engine_that_uses_one_gpu_misses_the_goal(
    played: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    played(1.0)
    parts = measured(capsys, "--pairs", "0")
    assert not any(": one" in name or "one GPU" in name for name in parts)  # it was not held against one GPU
    assert not parts["GPUs that hold a part of the model"]["met"]


def test_with_one_gpu_it_says_so(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.freeing.detect", lambda *_, **__: machine(1.0))
    with pytest.raises(SystemExit, match="no two GPUs"):
        main(["spread", "--quick"])


def test_the_large_shape_is_larger_and_can_be_divided() -> None:
    large = SHAPES["70b"]
    assert large["num_hidden_layers"] * large["hidden_size"] ** 2 > 8 * 32 * LLAMA_8B["hidden_size"] ** 2
    assert large["num_attention_heads"] % 2 == large["num_key_value_heads"] % 2 == 0


def test_where_two_texts_part_is_told() -> None:
    assert alike([1, 2, 3], [1, 2, 4]) == 2
    assert alike([1, 2, 3], [1, 2, 3]) == 3
    assert alike([1, 2], [1, 2, 3]) == 2
    assert alike([], [1]) == 0
