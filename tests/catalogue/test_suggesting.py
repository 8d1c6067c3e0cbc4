"""The short list: one form for each model, the most capable that fits first; and the table that it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.catalogue import table
from writer.catalogue.suggesting import suggest
from writer.catalogue.values import Machine
from writer.catalogue.wording import suggestion_words
from writer.errors import ConfigError

GB = 10**9
BYTES = {"bf16": (1.9, 2.8), "fp8": (1.0, 1.4), "awq": (0.5, 0.8)}
"""Bytes for each parameter, at least and at most."""


def gpu(size: int) -> Machine:
    return Machine("gpu", "a GPU", size * GB, size * GB)


def first(size: int, language: str = "") -> tuple[str, str]:
    best = suggest(table.read(table.BUILT_IN), gpu(size), language)[0]
    assert best.fit.fits
    assert best.fit.context >= 8192
    return best.variant.hub, best.variant.weights.quantisation


@pytest.mark.parametrize(
    ("size", "hub", "quantisation"),
    [
        (8, "Qwen/Qwen3-4B-AWQ", "awq"),
        (12, "Qwen/Qwen3-8B-AWQ", "awq"),
        (24, "Qwen/Qwen3-14B-FP8", "fp8"),
        (80, "Qwen/Qwen3-32B-FP8", "fp8"),
        (280, "meta-llama/Llama-3.3-70B-Instruct", "bf16"),
    ],
)
def test_each_size_of_gpu_has_its_model(size: int, hub: str, quantisation: str) -> None:
    assert first(size) == (hub, quantisation)


def test_the_finest_weights_that_leave_room_for_the_window_are_taken() -> None:
    forms = {
        size: next(s for s in suggest(table.read(table.BUILT_IN), gpu(size)) if s.model.name == "Qwen3 14B").variant
        for size in (16, 24, 48)
    }
    assert [forms[size].weights.quantisation for size in (16, 24, 48)] == ["awq", "fp8", "bf16"]


def test_only_models_of_the_language_are_named() -> None:
    rows = table.read(table.BUILT_IN)
    chinese = suggest(rows, gpu(24), "zh-CN")
    assert chinese
    assert all("*" in each.model.languages or "zh" in each.model.languages for each in chinese)
    assert len(chinese) < len(suggest(rows, gpu(24)))


def test_what_fits_comes_first_and_says_so() -> None:
    found = suggest(table.read(table.BUILT_IN), gpu(12))
    fitting = [each.fit.fits for each in found]
    assert fitting == sorted(fitting, reverse=True)
    assert {True, False} == set(fitting)
    for each in found:
        assert ("does not fit: It needs about" in suggestion_words(each)[0]) is not each.fit.fits


def test_every_size_in_the_table_goes_with_its_parameters() -> None:
    """Quantised forms keep the words' own table in two bytes, so they are larger than their bits alone."""
    rows = table.read(table.BUILT_IN)
    assert len(rows) >= 20
    for model in rows:
        for form in model.variants:
            each = form.weights.size / model.parameters / GB
            low, high = BYTES[form.weights.quantisation]
            assert low <= each <= high, form.hub


def test_every_row_has_a_licence_languages_and_ids_that_are_ids() -> None:
    from writer.engine.home import HUB_ID

    rows = table.read(table.BUILT_IN)
    hubs = [form.hub for model in rows for form in model.variants]
    assert len(set(hubs)) == len(hubs)
    assert all(HUB_ID.fullmatch(hub) for hub in hubs)
    assert all(model.licence and model.languages for model in rows)
    assert {model.gated for model in rows if model.name.startswith(("Llama", "Gemma"))} == {True}


def test_the_users_own_table_takes_the_place_of_the_built_in_one() -> None:
    own = table.own_table()
    own.parent.mkdir(parents=True, exist_ok=True)
    row = table.BUILT_IN.read_text(encoding="utf-8").split("[[model]]")[1]
    own.write_text("[[model]]" + row)
    assert [model.name for model in table.read_table()] == ["SmolLM2 135M Instruct"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("layers = 30", "layers = 30.5", '"layers" must be a whole number'),
        ("layers = 30", "", '"layers" is missing'),
        ("layers = 30", "layers = -1", '"layers" must be'),
        ("gigabytes = 0.3", "gigabytes = true", '"gigabytes" must be a number'),
        ("[[model]]", "[model]", "written as [[model]]"),
        ("forms = [", "forms = []\nx = [", '"forms" must hold tables'),
    ],
)
def test_a_wrong_row_is_told_with_file_and_key(before: str, after: str, told: str, tmp_path: Path) -> None:
    row = "[[model]]" + table.BUILT_IN.read_text(encoding="utf-8").split("[[model]]")[1]
    assert before in row
    file = tmp_path / "models.toml"
    file.write_text(row.replace(before, after))
    with pytest.raises(ConfigError) as caught:
        table.read(file)
    assert told in caught.value.sentence
    assert str(file) in caught.value.sentence
