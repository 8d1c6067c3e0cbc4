"""The command that starts vLLM on GPUs: what each option adds, in both versions, and what makes two launches equal."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from launching import GPU, GPU_BUILD, PLACES, flags, launch

from writer.config import EngineSettings
from writer.engine.fitting import Fit
from writer.engine.launch import Launch
from writer.errors import EngineStartFailed

NEWER = replace(GPU_BUILD, version="0.32.0")
BOTH = pytest.mark.parametrize("found", [GPU_BUILD, NEWER])


def on_gpu(settings: EngineSettings = EngineSettings(), found: object = GPU_BUILD, **more: object) -> Launch:  # noqa: B008
    return launch(settings, GPU, found, **more)  # type: ignore[arg-type]


@BOTH
def test_a_launch_as_it_is_without_any_setting(found: object) -> None:
    made = on_gpu(found=found, fit=Fit(0.88, 38_272, sentence="it fits"), window=131_072)
    assert flags(made) == {
        "--model": "/models/SmolLM2-135M-Instruct",
        "--served-model-name": "SmolLM2-135M-Instruct",
        "--max-model-len": "38272",
        "--dtype": "auto",
        "--load-format": "safetensors",
        "--generation-config": "vllm",
        "--enable-prompt-tokens-details": "",
        "--uvicorn-log-level": "warning",
        "--disable-uvicorn-access-log": "",
        "--gpu-memory-utilization": "0.88",
        "--enable-sleep-mode": "",
        "--middleware": "writer_doors.Doors",
        **({"--sse-keep-alive-interval": "2"} if found is NEWER else {}),
        "--uds": f"/run/user/1000/writer/{made.fingerprint}/s",
    }
    assert "VLLM_USE_V2_MODEL_RUNNER" not in made.env
    assert "PYTHONHASHSEED" not in made.env
    assert made.env["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert "CUDA_VISIBLE_DEVICES" not in made.env
    assert (made.device, made.kind) == ("gpu", "")


def test_before_anything_is_measured() -> None:
    made = on_gpu(window=131_072)
    assert flags(made)["--gpu-memory-utilization"] == "0.85"
    assert flags(made)["--max-model-len"] == "8192"
    assert flags(on_gpu(EngineSettings(gpu_memory=0.5, window=4096)))["--gpu-memory-utilization"] == "0.5"
    assert flags(on_gpu(EngineSettings(gpu_memory=0.5, window=4096)))["--max-model-len"] == "4096"


@BOTH
def test_what_is_free_by_chance_makes_no_other_engine(found: object) -> None:
    first = on_gpu(found=found)
    second = on_gpu(found=found, fit=Fit(0.5, 4096, 2, ("0", "1")))
    assert first.fingerprint == second.fingerprint
    assert first.argv != second.argv
    asked = [
        EngineSettings(window=4096),
        EngineSettings(gpu_memory=0.5),
        EngineSettings(gpus=1),
        EngineSettings(gpus=2),
        EngineSettings(kv_cache="fp8"),
        EngineSettings(kv_disk_gib=1),
    ]
    prints = {on_gpu(settings, found).fingerprint for settings in asked}
    assert len(prints | {first.fingerprint}) == len(asked) + 1


@BOTH
def test_several_gpus(found: object) -> None:
    theirs = {"NCCL_NVLS_ENABLE": "0", "NCCL_P2P_DISABLE": "1", "CUDA_DEVICE_ORDER": "FASTEST_FIRST"}
    made = on_gpu(found=found, environ=theirs, fit=Fit(0.92, 8192, 2))
    assert flags(made)["--tensor-parallel-size"] == "2"
    assert made.kind == "tp2"
    assert {name: made.env[name] for name in theirs} == theirs
    assert "CUDA_VISIBLE_DEVICES" not in made.env
    some = on_gpu(found=found, environ={"CUDA_VISIBLE_DEVICES": "3,1,0"}, fit=Fit(0.92, 8192, 2, ("3", "0")))
    assert some.env["CUDA_VISIBLE_DEVICES"] == "3,0"


@BOTH
def test_its_processes_are_forked_unless_the_machine_says_otherwise(found: object) -> None:
    start = "VLLM_WORKER_MULTIPROC_METHOD"
    theirs = on_gpu(found=found, environ={start: "spawn"})
    assert (on_gpu(found=found).env[start], theirs.env[start]) == ("fork", "spawn")
    assert on_gpu(found=found).fingerprint == theirs.fingerprint


@BOTH
def test_a_machine_without_multicast_is_believed_by_all_of_vllm(found: object) -> None:
    off = on_gpu(found=found, environ={"NCCL_NVLS_ENABLE": "0"}, fit=Fit(0.92, 8192, 2))
    assert off.env["NCCL_NVLS_ENABLE"] == "0"
    assert off.env["VLLM_ALLREDUCE_USE_SYMM_MEM"] == off.env["VLLM_ALLREDUCE_USE_FLASHINFER"] == "0"
    assert off.env["TORCH_SYMM_MEM_DISABLE_MULTICAST"] == "1"
    assert json.loads(flags(off)["--compilation-config"]) == {"pass_config": {"fuse_allreduce_rms": False}}
    usual = on_gpu(found=found, fit=Fit(0.92, 8192, 2))
    alone = on_gpu(found=found, environ={"NCCL_NVLS_ENABLE": "0"}, fit=Fit(0.92, 8192, 1))
    for made in (usual, alone):
        assert "--compilation-config" not in flags(made)
        assert "VLLM_ALLREDUCE_USE_SYMM_MEM" not in made.env
    assert usual.fingerprint == off.fingerprint  # it is the machine's, not the engine's


@BOTH
def test_a_coarser_cache(found: object) -> None:
    made = on_gpu(EngineSettings(kv_cache="fp8"), found)
    assert flags(made)["--kv-cache-dtype"] == "fp8"
    assert made.kind == "fp8-kv"  # a resume across a change of it is told


def test_guessing_what_repeats() -> None:
    made = on_gpu(EngineSettings(speculation="ngram"), NEWER)
    asked = json.loads(flags(made)["--speculative-config"])
    assert asked["method"] == "ngram_gpu"  # the other one is guessed on the CPU, and each step waits for it
    assert asked["prompt_lookup_min"] <= asked["prompt_lookup_max"]
    assert made.kind == "ngram"


def test_an_older_vllm_cannot_guess_and_go_on_as_it_began() -> None:
    with pytest.raises(EngineStartFailed, match=r'engine\.speculation = "ngram" needs vLLM 0\.32'):
        on_gpu(EngineSettings(speculation="ngram"), GPU_BUILD)


@BOTH
def test_the_cache_on_disk(found: object) -> None:
    made = on_gpu(EngineSettings(kv_disk_gib=20), found)
    asked = json.loads(flags(made)["--kv-transfer-config"])
    extra = asked["kv_connector_extra_config"]
    assert (asked["kv_connector"], asked["kv_role"], extra["spec_name"]) == (
        "OffloadingConnector",
        "kv_both",
        "TieringOffloadingSpec",
    )
    assert extra["offload_prompt_only"] is True  # else 0.26 dies at the second request
    assert asked["kv_load_failure_policy"] == "recompute"
    assert made.kv_folder is not None
    assert extra["secondary_tiers"] == [{"type": "fs", "root_dir": str(made.kv_folder)}]
    assert made.kv_folder.parent == PLACES.cache / "kv"
    assert extra["cpu_bytes_to_use"] == 256 * 2**20  # until it is measured
    measured = flags(on_gpu(EngineSettings(kv_disk_gib=20), found, fit=Fit(0.9, 8192, staging=5000)))
    assert json.loads(measured["--kv-transfer-config"])["kv_connector_extra_config"]["cpu_bytes_to_use"] == 5000
    assert made.env["PYTHONHASHSEED"] == "0"  # the names of blocks are the same after a restart


def test_no_other_engine_model_or_number_format_reads_what_one_has_kept() -> None:
    disk = EngineSettings(kv_disk_gib=20)
    folders = {
        on_gpu(settings, found, model=model).kv_folder
        for settings, found, model in (
            (disk, GPU_BUILD, "abc"),
            (disk, NEWER, "abc"),
            (disk, GPU_BUILD, "another"),
            (replace(disk, kv_cache="fp8"), GPU_BUILD, "abc"),
            (replace(disk, dtype="half"), GPU_BUILD, "abc"),
        )
    }
    assert len(folders) == 5
    assert on_gpu(replace(disk, kv_disk_gib=40)).kv_folder in folders  # only the room for it changes
    assert on_gpu().kv_folder is None


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (EngineSettings(kv_cache="fp8"), r"engine\.kv_cache"),
        (EngineSettings(speculation="ngram"), r"engine\.speculation"),
        (EngineSettings(kv_disk_gib=5), r"engine\.kv_disk_gib"),
        (EngineSettings(gpus=2), r"engine\.gpus"),
    ],
)
def test_a_cpu_refuses_by_name_what_only_a_gpu_has(settings: EngineSettings, named: str) -> None:
    with pytest.raises(EngineStartFailed, match=f"{named}.*NVIDIA GPU"):
        launch(settings)
    assert launch(EngineSettings(gpus=1)).device == "cpu"
