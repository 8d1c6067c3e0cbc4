"""What fits, with which quantisation and how much text: arithmetic that can be followed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.catalogue.fitting import CPU_RESERVE, GPU_RESERVE, LEAST, fit
from writer.catalogue.values import Machine, Weights

GB = 10**9
EIGHT = Weights(16_400_000_000, "bf16", 2 * 36 * 8 * 128, 32_768)
"""Qwen3 8B: 147,456 bytes for each token."""
GPU_24 = Machine("gpu", "a GPU", 24 * GB, 24 * GB)
CPU_16 = Machine("cpu", "a machine", 16 * GB, 16 * GB)


def test_a_gpu_gives_what_weights_and_reserve_leave_to_the_text() -> None:
    found = fit(EIGHT, GPU_24)
    assert found.available == int(24 * GB * 0.85)
    assert found.fits
    assert found.context == (found.available - EIGHT.size - GPU_RESERVE) // 147_456


def test_several_gpus_share_the_weights_and_each_keeps_its_reserve() -> None:
    two = replace(GPU_24, total=48 * GB, free=48 * GB, gpus=2)
    big = replace(EIGHT, size=33 * GB)
    assert not fit(big, GPU_24).fits
    assert fit(big, two).needed == 33 * GB + 2 * GPU_RESERVE + LEAST * 147_456


def test_what_others_hold_of_the_gpu_is_not_there() -> None:
    assert not fit(EIGHT, replace(GPU_24, free=18 * GB)).fits
    assert fit(EIGHT, replace(GPU_24, free=18 * GB)).available == 18 * GB


def test_a_context_is_never_longer_than_the_models_own() -> None:
    assert fit(EIGHT, replace(GPU_24, total=140 * GB, free=140 * GB)).context == 32_768


def test_what_does_not_fit_says_how_much_is_missing() -> None:
    found = fit(EIGHT, replace(GPU_24, total=12 * GB, free=12 * GB))
    assert (found.fits, found.context) == (False, 0)
    assert found.why == "It needs about 19.0 GB; 10.2 GB can be had."


def test_a_cpu_calculates_in_twice_the_size() -> None:
    small = Weights(2 * GB, "bf16", 10_000, 8192)
    found = fit(small, CPU_16)
    assert found.needed == 4 * GB + CPU_RESERVE + CPU_16.kv_cache
    assert found.fits
    assert fit(small, replace(CPU_16, wide=False)).needed == 2 * GB + CPU_RESERVE + CPU_16.kv_cache


def test_a_cpu_whose_cache_is_too_small_for_the_model_names_the_setting_and_what_it_takes() -> None:
    found = fit(Weights(2 * GB, "bf16", 2 * 28 * 8 * 128, 32_768), CPU_16)
    assert (found.fits, found.context, found.step) == (True, LEAST, "engine.kv_cache_mib = 896")
    assert found.room == 896 * 2**20


def test_quantised_weights_need_a_gpu() -> None:
    awq = replace(EIGHT, size=6 * GB, quantisation="awq")
    assert fit(awq, GPU_24).fits
    assert fit(awq, CPU_16).why == "Weights in awq need a GPU."


@pytest.mark.parametrize("machine", [replace(GPU_24, total=0, free=0), replace(CPU_16, total=0, free=0)])
def test_a_machine_that_does_not_tell_its_memory_promises_nothing(machine: Machine) -> None:
    assert not fit(EIGHT, machine).fits
    assert "does not tell" in fit(EIGHT, machine).why


@given(st.integers(0, 200 * GB), st.integers(0, 200 * GB), st.integers(0, 10**6), st.integers(0, 10**6))
def test_what_is_promised_is_there(size: int, free: int, kv_values: int, context: int) -> None:
    weights = Weights(size, "bf16", kv_values, context)
    for machine in (replace(GPU_24, total=free, free=free), replace(CPU_16, total=free, free=free)):
        found = fit(weights, machine)
        if found.fits:
            assert found.needed <= found.available <= free
            assert not context or found.context <= context
            if machine.device == "gpu":
                assert size + GPU_RESERVE + found.context * kv_values * 2 <= found.available or not kv_values
        else:
            assert found.why


@given(st.integers(1, 100 * GB), st.integers(1, 10**6))
def test_more_memory_never_fits_less(size: int, kv_values: int) -> None:
    weights = Weights(size, "bf16", kv_values, 100_000)
    contexts = [fit(weights, replace(GPU_24, total=each * GB, free=each * GB)).context for each in range(1, 160, 7)]
    assert contexts == sorted(contexts)
