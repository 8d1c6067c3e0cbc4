"""What the doctor says of Python, SQLite, the GPU, its sleep and memory."""

from __future__ import annotations

import pytest

from writer.doctor import machine
from writer.engine.hardware import Gpu, Hardware

GB = 10**9
SMALL = Hardware((), cores=2, ram_bytes=16 * GB, free_ram_bytes=8 * GB)
H200 = Gpu("NVIDIA H200", 150 * GB, 149 * GB, "580.95")


@pytest.mark.parametrize(
    ("version", "state"), [((3, 10, 9), "bad"), ((3, 11, 0), "ok"), ((3, 14, 2), "ok"), ((3, 15, 0), "bad")]
)
def test_pythons_that_vllm_is_built_for(version: tuple[int, ...], state: str) -> None:
    assert machine.python(version).state == state


@pytest.mark.parametrize(
    ("version", "options", "state"),
    [
        ((3, 40, 1), {"THREADSAFE=1"}, "ok"),
        ((3, 37, 2), {"THREADSAFE=1"}, "bad"),
        ((3, 46, 0), {"OMIT_WAL"}, "bad"),
        ((3, 46, 0), {"THREADSAFE=0"}, "bad"),
    ],
)
def test_sqlite_must_have_a_write_ahead_log_and_threads(
    version: tuple[int, ...], options: set[str], state: str
) -> None:
    assert machine.sqlite(version, options).state == state


def test_a_gpu_is_named_with_its_memory_and_driver() -> None:
    found = machine.gpu(Hardware((H200,), 16, 128 * GB, 100 * GB))
    assert found.state == "ok"
    assert found.sentence == "NVIDIA H200 with 150.0 GB, 149.0 GB free, driver 580.95."


def test_a_gpu_whose_driver_fails_is_told_with_its_own_words() -> None:
    found = machine.gpu(Hardware((), 2, 16 * GB, 8 * GB, trouble="Failed to initialize NVML"))
    assert found.state == "warn"
    assert "Failed to initialize NVML" in found.sentence
    assert found.next_step


def test_without_a_gpu_the_cpu_writes_and_nothing_is_wrong() -> None:
    assert machine.gpu(SMALL).state == "ok"
    assert "2 cores" in machine.gpu(SMALL).sentence


def test_sleep_is_no_subject_without_a_gpu() -> None:
    assert "Sleep" not in [found.subject for found in machine.findings(SMALL)]
    assert "Sleep" in [found.subject for found in machine.findings(Hardware((H200,), 2, 16 * GB, 8 * GB))]


@pytest.mark.parametrize(("free", "state"), [(8 * GB, "ok"), (1 * GB, "warn")])
def test_memory_for_the_small_model(free: int, state: str) -> None:
    assert machine.memory(Hardware((), 2, 16 * GB, free)).state == state
