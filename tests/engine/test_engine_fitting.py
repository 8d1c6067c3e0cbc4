"""What a start on a GPU gets: which GPUs, which share of their memory, how long a window, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from writer.config import EngineSettings
from writer.engine.appetite import Appetite, of_model
from writer.engine.fitting import NoRoom, choose, emptied, fit, free_share, is_short
from writer.engine.hardware import Gpu
from writer.errors import EngineStartFailed, ModelUnusable

GIB = 2**30
SHAPE_8B: dict[str, Any] = {
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "vocab_size": 128_256,
    "torch_dtype": "bfloat16",
}
MODEL_8B = of_model(SHAPE_8B, 16 * 10**9)
SMOLLM2 = of_model({"num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3, "hidden_size": 576}, 1)


def gpus(*free: float, total: float = 24, name: str = "NVIDIA RTX 4090") -> list[Gpu]:
    """GPUs with so many GiB free."""
    return [Gpu(name, int(total * GIB), int(each * GIB), number=str(n)) for n, each in enumerate(free)]


def fitted(found: Sequence[Gpu], settings: EngineSettings = EngineSettings(), model: Appetite = MODEL_8B) -> int:  # noqa: B008
    return fit(settings, found, model, 131_072).window


def test_a_token_of_an_8b_model_takes_128_kib() -> None:
    assert MODEL_8B.per_token() == 128 * 1024
    assert MODEL_8B.per_token(2) == 64 * 1024
    assert MODEL_8B.per_token(16) == 16 * 1024  # eight heads: more GPUs keep them twice
    assert MODEL_8B.per_token(fp8=True) == 64 * 1024


def test_layers_that_look_at_what_is_near_take_a_constant() -> None:
    kinds = ["sliding_attention", "full_attention", "linear_attention", "sliding_attention"]
    config = {**SHAPE_8B, "num_hidden_layers": 4, "layer_types": kinds, "sliding_window": 1024, "head_dim": 64}
    model = of_model({"text_config": config}, 1)
    assert (model.layers, model.near_layers, model.near) == (1, 2, 1024)
    assert model.per_token() == 2 * 8 * 64 * 2
    assert model.once() == 2 * 1024 * model.per_token()


def test_latent_attention_is_kept_whole_on_each_gpu() -> None:
    config = {"num_hidden_layers": 10, "num_attention_heads": 16, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    model = of_model(config, 1)
    assert model.per_token() == model.per_token(4) == 10 * 576 * 2


def test_weights_are_counted_in_the_type_that_they_are_used_in() -> None:
    config = {**SHAPE_8B, "torch_dtype": "float32"}
    assert of_model(config, 32).weights == 16
    assert of_model(config, 32, "float32").weights == 32
    assert of_model({**config, "quantization_config": {"bits": 4}}, 32).weights == 32
    assert of_model(SHAPE_8B, 16, "float32").weights == 32


def test_an_unknown_configuration_is_not_guessed() -> None:
    assert not of_model({}, 10).known
    assert fitted(gpus(20), model=of_model({}, 10**9)) == 8192


def test_an_idle_gpu_is_taken_but_for_what_vllm_leaves() -> None:
    assert free_share(gpus(23.9)) == 0.92
    assert free_share(gpus(143.6, total=144)) == 0.92
    assert free_share(gpus(7.6, total=8)) == 0.85  # the engine's own context has to fit beside it


def test_a_desktop_keeps_room_to_grow() -> None:
    assert free_share(gpus(22.5)) == 0.88  # 1.5 GiB are taken; 1.2 GiB more are left to it
    assert free_share(gpus(9, total=12)) == 0.66
    assert free_share(gpus(22.5, 12)) == 0.45  # the same share of each GPU, so the fuller one decides
    assert free_share([Gpu("nvidia0")]) == 0.85
    assert free_share(gpus(0.5)) == 0.0


def test_the_window_is_what_fits_and_is_told() -> None:
    found = fit(EngineSettings(), gpus(22.5), MODEL_8B, 131_072)
    assert found.window % 128 == 0
    assert 36_000 < found.window < 40_000
    assert (found.share, found.gpus, found.visible) == (0.88, 1, ())
    assert f"a window of {found.window:,} tokens fits" in found.sentence
    assert "88%" in found.sentence


def test_fp8_for_the_text_fits_nearly_twice_as_much() -> None:
    usual, rounded = fitted(gpus(20)), fitted(gpus(20), EngineSettings(kv_cache="fp8"))
    assert 1.9 * usual < rounded < 2.1 * usual


def test_a_window_is_never_longer_than_the_model_or_than_can_be_read_soon() -> None:
    large = gpus(143, total=144)
    assert fitted(large) == 65_536
    assert fit(EngineSettings(), large, MODEL_8B, 32_768).window == 32_768


def test_a_window_that_was_asked_for_is_left_to_vllm() -> None:
    asked = fit(EngineSettings(window=100_000), gpus(22.5), MODEL_8B, 131_072)
    assert asked.window == 100_000
    assert "a window of 100,000 tokens is asked for" in asked.sentence
    assert fit(EngineSettings(window=100_000), gpus(22.5), MODEL_8B, 32_768).window == 32_768


def test_a_share_that_was_asked_for_is_kept() -> None:
    assert fit(EngineSettings(gpu_memory=0.8), gpus(23.9), MODEL_8B, 131_072).share == 0.8


def test_a_model_larger_than_the_gpu_is_refused_with_what_would_do() -> None:
    with pytest.raises(ModelUnusable, match="quantised"):
        fitted(gpus(11.9, total=12))


def test_memory_that_others_hold_is_told_in_figures() -> None:
    with pytest.raises(NoRoom, match=r"needs 16\.2 GiB of each GPU, but only"):
        fitted(gpus(12))


def test_without_the_drivers_figures_nothing_is_fitted() -> None:
    found = fit(EngineSettings(), [Gpu("nvidia0")], MODEL_8B, 131_072)
    assert (found.share, found.window, found.sentence) == (0.85, 8192, "")


@pytest.mark.parametrize(("there", "taken"), [(1, 1), (2, 2), (3, 2), (4, 4), (7, 4), (8, 8), (16, 8)])
def test_a_model_is_shared_among_as_many_gpus_as_its_heads_can_be_divided_among(there: int, taken: int) -> None:
    found = fit(EngineSettings(), gpus(*[23.9] * there), MODEL_8B, 131_072)
    assert found.gpus == taken
    assert len(found.visible) == (taken if taken < there else 0)


def test_nine_heads_stay_on_one_gpu_the_emptiest() -> None:
    found = fit(EngineSettings(), gpus(20, 23, 22), SMOLLM2, 8192)
    assert (found.gpus, found.visible) == (1, ("1",))


def test_a_small_model_stays_on_one_gpu_unless_it_is_set() -> None:
    """Two H200 wrote 312 tokens/s with 0.3 GB of weights, one 447; with 16 GB two wrote 285, one 213."""
    for size, total, count in (
        (10**9, 24, 1),
        (6 * 10**9, 24, 1),
        (10**9, 3, 2),
        (7 * 10**9, 24, 2),
        (7 * 10**9, 80, 2),
    ):
        found = gpus(total - 0.3, total - 0.3, total=total)
        assert len(choose(0, found, of_model(SHAPE_8B, size))) == count
    assert len(choose(2, gpus(23, 23), of_model(SHAPE_8B, 10**9))) == 2


def test_unequal_gpus_do_not_share_a_model() -> None:
    mixed = [*gpus(11, total=12, name="small"), *gpus(23, 22)]
    assert [gpu.total_bytes for gpu in choose(0, mixed, MODEL_8B)] == [24 * GIB] * 2
    assert choose(0, [*gpus(79, total=80, name="large"), *gpus(23)], MODEL_8B)[0].name == "large"


def test_the_number_of_gpus_can_be_set() -> None:
    assert fit(EngineSettings(gpus=1), gpus(20, 23), MODEL_8B, 8192).visible == ("1",)
    assert len(choose(2, gpus(20, 21, 22, 23), MODEL_8B)) == 2
    assert [gpu.number for gpu in choose(2, gpus(20, 21, 22, 23), MODEL_8B)] == ["2", "3"]
    with pytest.raises(EngineStartFailed, match="2 equal GPUs were found"):
        choose(4, gpus(23, 23), MODEL_8B)
    with pytest.raises(EngineStartFailed, match="9 heads cannot be divided"):
        choose(2, gpus(23, 23), SMOLLM2)


def test_gpus_of_which_nothing_is_known_share_a_model_only_if_it_is_set() -> None:
    found = [Gpu("GPU 0", number="0"), Gpu("GPU 1", number="1")]
    assert fit(EngineSettings(), found, MODEL_8B, 8192).visible == ("0",)
    assert fit(EngineSettings(gpus=2), found, MODEL_8B, 8192).gpus == 2


@pytest.mark.parametrize(
    ("free", "settings", "wanted", "short"),
    [
        (23.7, EngineSettings(), 0, False),
        (18.0, EngineSettings(), 0, True),  # its first start, and others hold so much
        (18.0, EngineSettings(), 2048, False),  # so it was the last time
        (21.5, EngineSettings(), 32_768, False),  # a little less than the last time
        (18.0, EngineSettings(window=16_384), 16_384, True),
        (23.7, EngineSettings(window=131_072), 131_072, False),  # it would not fit into an empty GPU either
    ],
)
def test_memory_is_worth_waiting_for_where_less_than_half_fits(
    free: float, settings: EngineSettings, wanted: int, short: bool
) -> None:
    found = gpus(free)
    made, empty = (fit(settings, each, MODEL_8B, 131_072) for each in (found, emptied(found)))
    assert is_short(made, empty, wanted) is short


def test_nothing_is_waited_for_where_nothing_is_known() -> None:
    unknown = [Gpu("nvidia0")]
    made = fit(EngineSettings(), unknown, MODEL_8B, 131_072)
    assert not is_short(made, fit(EngineSettings(), emptied(unknown), MODEL_8B, 131_072), 8192)
