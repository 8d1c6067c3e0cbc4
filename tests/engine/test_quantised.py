"""Quantised weights are recognised, named in plain words, and refused where they cannot be used."""

from __future__ import annotations

from typing import Any

import pytest

from writer.engine.build import Build
from writer.engine.hardware import Gpu
from writer.engine.quantised import Quantised, found_in, require_device
from writer.errors import ModelUnusable

CPU = Build("/python", "0.32.0", cpu_only=True)
OLD = Build("/python", "0.26.0", cpu_only=False)
NEW = Build("/python", "0.32.0", cpu_only=False)
COMPRESSED = {
    "quant_method": "compressed-tensors",
    "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}}},
}


def words(**table: Any) -> str:
    found = found_in({"quantization_config": table})
    assert found is not None
    return found.words


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"quant_method": "awq", "bits": 4}, "AWQ, 4 bits"),
        ({"quant_method": "awq", "w_bit": 4}, "AWQ, 4 bits"),
        ({"quant_method": "gptq", "bits": 8}, "GPTQ, 8 bits"),
        ({"quant_method": "gptq_marlin", "bits": 4}, "GPTQ, 4 bits"),
        ({"quant_method": "fp8"}, "FP8"),
        (COMPRESSED, "compressed-tensors, 4 bits"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes, 4 bits"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bitsandbytes, 8 bits"),
        ({"quant_method": "mxfp4"}, "MXFP4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "NVFP4"),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, "FP8"),
        ({"quant_algo": "NVFP4"}, "NVFP4"),
        ({"quant_method": "some\x1b[31mthing"}, "some"),
    ],
)
def test_each_kind_is_named(table: dict[str, Any], said: str) -> None:
    assert words(**table).startswith(said)
    assert "\x1b" not in words(**table)


def test_it_is_found_wherever_a_configuration_has_it() -> None:
    assert found_in({"text_config": {"quantization_config": {"quant_method": "awq"}}}) is not None
    assert found_in({"compression_config": COMPRESSED}) is not None
    for plain in ({}, {"quantization_config": None}, {"quantization_config": {}}, {"quantization_config": "awq"}):
        assert found_in(plain) is None


def test_nonsense_in_it_is_no_error() -> None:
    table = {"quant_method": "compressed-tensors", "config_groups": {"a": None, "b": {"weights": []}}}
    assert words(**table) == "compressed-tensors"
    assert words(quant_method=7, bits="x") == "7"


def test_a_cpu_refuses_it_with_a_next_step() -> None:
    with pytest.raises(ModelUnusable, match=r"AWQ, 4 bits.*NVIDIA GPU.*without quantisation"):
        require_device(Quantised("awq", "AWQ, 4 bits"), CPU, [])


def test_a_gpu_that_is_too_old_is_told_by_its_figures() -> None:
    awq = found_in({"quantization_config": {"quant_method": "awq", "bits": 4}})
    assert awq is not None
    require_device(awq, NEW, [Gpu("T4", capability=(7, 5)), Gpu("H200", capability=(9, 0)), Gpu("nvidia0")])
    with pytest.raises(ModelUnusable, match=r"V100.*capability 7\.5 and has 7\.0"):
        require_device(awq, NEW, [Gpu("V100", capability=(7, 0))])


def test_a_kind_that_nobody_knows_is_left_to_vllm() -> None:
    odd = found_in({"quantization_config": {"quant_method": "brand-new"}})
    assert odd is not None
    require_device(odd, NEW, [Gpu("old", capability=(5, 0))])


def test_bitsandbytes_ends_with_the_vllm_that_reads_it() -> None:
    found = found_in({"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}})
    assert found is not None
    require_device(found, OLD, [])
    with pytest.raises(ModelUnusable, match=r"0\.32\.0 does not read"):
        require_device(found, NEW, [])
