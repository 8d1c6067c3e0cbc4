"""What a launch on a GPU has beside the usual flags, and what is refused by name where it cannot be done. Pure.

Each option stands in docs/engine.md with what it costs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from writer.config import EngineSettings
from writer.engine.build import Build
from writer.engine.fitting import USUAL_SHARE, Fit
from writer.engine.kv_disk import LEAST_STAGING
from writer.errors import EngineStartFailed
from writer.language import say

_NGRAM_SINCE = (0, 32)  # before, guessing forces the old model runner, whose seeds do not survive a resume
_GUESSED = 4  # tokens in one step: more are rarely right in prose
_ALIKE = (3, 5)  # fewest and most tokens that must have stood before a guess
NO_MULTICAST = {
    "VLLM_ALLREDUCE_USE_SYMM_MEM": "0",
    "VLLM_ALLREDUCE_USE_FLASHINFER": "0",
    "VLLM_FLASHINFER_ALLREDUCE_BACKEND": "trtllm",
    "VLLM_USE_NCCL_SYMM_MEM": "0",
    "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1",
}
_NO_FUSED_SUMS = '{"pass_config":{"fuse_allreduce_rms":false}}'  # they are FlashInfer's, which begin with multicast
_START = "VLLM_WORKER_MULTIPROC_METHOD"
_FREE_GPU = "writer_doors.Doors"


def flags(
    settings: EngineSettings, build: Build, fit: Fit | None, kv_folder: Path, environ: Mapping[str, str]
) -> tuple[str, ...]:
    """For this fit; for the settings alone, which is what makes two launches equal, if `fit` is None.

    Raises EngineStartFailed for what this vLLM cannot do.
    """
    share = f"{fit.share:g}" if fit else f"{settings.gpu_memory:g}" if settings.gpu_memory else "free"
    gpus = str(fit.gpus) if fit else str(settings.gpus or "all")
    return (
        *("--gpu-memory-utilization", share),
        *(("--tensor-parallel-size", gpus) if gpus != "1" else ()),
        *(("--compilation-config", _NO_FUSED_SUMS) if fit and _without_multicast(fit, environ) else ()),
        *("--enable-sleep-mode", "--middleware", _FREE_GPU),  # "Pause and free the GPU"
        *(("--kv-cache-dtype", settings.kv_cache) if settings.kv_cache != "auto" else ()),
        *(("--speculative-config", _guessing(build)) if settings.speculation == "ngram" else ()),
        *(("--kv-transfer-config", _on_disk(kv_folder, fit.staging if fit else 0)) if settings.kv_disk_gib else ()),
    )


def unmeasured(settings: EngineSettings) -> Fit:
    """What a GPU would get if nothing about it were known."""
    return Fit(settings.gpu_memory or USUAL_SHARE, settings.window, settings.gpus or 1)


def environment(settings: EngineSettings) -> dict[str, str]:
    """Variables of every launch on a GPU with these settings."""
    return {"PYTHONHASHSEED": "0"} if settings.kv_disk_gib else {}  # blocks are found again under the same names


def devices(fit: Fit, environ: Mapping[str, str]) -> dict[str, str]:
    """Which GPUs, and how. Whatever the machine says of NCCL stays as it is, and is said to vLLM's own sums as well.

    Processes of the engine are forked, as vLLM's own library does it: each that is spawned, as its server does it,
    imports all of vLLM and PyTorch again. vLLM itself spawns where a fork would not be safe.
    """
    start = {} if _START in environ else {_START: "fork"}
    order = {} if "CUDA_DEVICE_ORDER" in environ else {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}  # as nvidia-smi counts
    sums = NO_MULTICAST if _without_multicast(fit, environ) else {}
    return start | order | sums | ({"CUDA_VISIBLE_DEVICES": ",".join(fit.visible)} if fit.visible else {})


def _without_multicast(fit: Fit, environ: Mapping[str, str]) -> bool:
    """Whether GPUs that share a model must not use NVLink multicast: vLLM has ways to it that NCCL knows nothing of."""
    return fit.gpus > 1 and environ.get("NCCL_NVLS_ENABLE", "").strip() == "0"


def require_cpu_can(settings: EngineSettings) -> None:
    """Raises EngineStartFailed for an option that only a GPU has."""
    asked = {
        f'engine.kv_cache = "{settings.kv_cache}"': settings.kv_cache != "auto",
        f'engine.speculation = "{settings.speculation}"': settings.speculation != "off",
        f"engine.kv_disk_gib = {settings.kv_disk_gib}": settings.kv_disk_gib > 0,
        f"engine.gpus = {settings.gpus}": settings.gpus > 1,
    }
    if option := next((name for name, is_set in asked.items() if is_set), ""):
        raise EngineStartFailed(
            say("{option} needs an NVIDIA GPU, and the CPU writes here. Take it out of your settings.", option=option)
        )


def kind(settings: EngineSettings, fit: Fit | None) -> str:
    """What changes how the engine calculates, as words of its fingerprint."""
    return " ".join(
        (
            *((f"tp{fit.gpus}",) if fit and fit.gpus > 1 else ()),
            *((f"{settings.kv_cache}-kv",) if settings.kv_cache != "auto" else ()),
            *((settings.speculation,) if settings.speculation != "off" else ()),
        )
    )


def _guessing(build: Build) -> str:
    if build.release < _NGRAM_SINCE:
        raise EngineStartFailed(
            say(
                'engine.speculation = "ngram" needs vLLM 0.32 or newer, and {version} is installed: there a '
                "text would not go on as it began after a pause. Take it out of your settings, or raise vLLM.",
                version=build.version,
            )
        )
    return _json(
        method="ngram_gpu", num_speculative_tokens=_GUESSED, prompt_lookup_min=_ALIKE[0], prompt_lookup_max=_ALIKE[1]
    )


def _on_disk(folder: Path, staging: int) -> str:
    """Only prompts are kept: with the generated part, vLLM 0.26 dies at the second request."""
    extra = {
        "spec_name": "TieringOffloadingSpec",
        "cpu_bytes_to_use": staging or LEAST_STAGING,
        "offload_prompt_only": True,
        "secondary_tiers": [{"type": "fs", "root_dir": str(folder)}],
    }
    return _json(
        kv_connector="OffloadingConnector",
        kv_role="kv_both",
        kv_load_failure_policy="recompute",  # a file that has gone costs time, not the text
        kv_connector_extra_config=extra,
    )


def _json(**values: object) -> str:
    return json.dumps(values, separators=(",", ":"), sort_keys=True)
