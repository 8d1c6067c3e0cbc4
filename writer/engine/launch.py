"""From settings, machine and model to the command that starts vLLM. Pure: reads no file, starts nothing.

Never a TCP port, never dev mode (its endpoints run code), and no code of a model that the user has not named as
trusted. Why a flag is there stands beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from writer import installation
from writer.config import EngineSettings
from writer.engine import gpu_flags, kv_disk
from writer.engine.build import Build
from writer.engine.fitting import USUAL_WINDOW, Fit
from writer.engine.hardware import Hardware
from writer.errors import EngineStartFailed
from writer.generation.model import Fingerprint
from writer.language import say

SOCKET_NAME = "s"
SOCKET_PATH_LIMIT = 107  # bytes, of the kernel's sun_path
_PLUGIN = Path(__file__).parent / "plugin"
_CPU_BLOCK = 32  # the smallest that vLLM's CPU attention takes: finer cache hits than its default of 128
_CPU_PREFILL = 512  # tokens per step: at vLLM's 2048 a pause in a long prefill waits 1.5 s
_KEEP_ALIVE_SINCE = (0, 32)  # 0.26 does not know the flag, and argparse exits on it
_UNSET = (
    "VLLM_CPU_KVCACHE_SPACE",  # would override --kv-cache-memory-bytes
    "VLLM_SERVER_DEV_MODE",  # opens endpoints that run code
    "VLLM_API_KEY",  # the client of a private socket has none
    "WRITER_API_KEY",  # is for a server of others
    "VLLM_CPU_OMP_THREADS_BIND",  # "auto" leaves a core for the app; booking all of them is ruinous
    "VLLM_USE_V2_MODEL_RUNNER",
    "PYTHONHOME",
    "PYTHONSTARTUP",
)


@dataclass(frozen=True, slots=True)
class Launch:
    """A command for the keeper. Equal fingerprints mean that a running engine can serve instead."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    fingerprint: str  # 8 hex digits over everything that changes what the engine is
    served_name: str
    device: str  # "cpu" or "gpu"
    dtype: str
    socket: Path
    kind: str = ""  # what else changes how it calculates: "tp2 fp8-kv"
    kv_folder: Path | None = None  # where it keeps on disk what it has read


@dataclass(frozen=True, slots=True)
class Places:
    """Folders that a launch uses: `runtime` for sockets (short), `cache` for compiled kernels."""

    runtime: Path
    cache: Path


def plan(
    settings: EngineSettings,
    hardware: Hardware,
    build: Build,
    model_folder: Path,
    *,
    model_window: int,
    model: Fingerprint,
    own_code: str = "",
    places: Places,
    environ: Mapping[str, str],
    fit: Fit | None = None,
) -> Launch:
    """The launch for this model here. `own_code` is what of it runs as code, if anything does.

    `fit` is what was measured of the GPUs just before the start. It changes the command but not the fingerprint: what
    is free by chance does not make another engine. Raises EngineStartFailed if nothing here can run it.
    """
    device = _device(hardware, build)
    served, dtype = served_name(model_folder), _dtype(settings, device)
    kv_folder = places.cache / kv_disk.FOLDER / kv_key(build, model, settings)

    def flags(fit: Fit | None) -> list[str]:
        window = fit.window if fit else settings.window
        return [
            *("--model", str(model_folder), "--served-model-name", served),
            *("--max-model-len", _window(window, model_window, fits=fit is None and device == "gpu"), "--dtype", dtype),
            *_loading(trusted=is_trusted(settings), own_code=own_code),
            *("--generation-config", "vllm"),  # else the model's own file changes the sampling silently
            "--enable-prompt-tokens-details",  # tells how much of a prompt came from the cache
            *("--middleware", "writer_costs.Costs"),  # tells it with the first token
            *("--uvicorn-log-level", "warning", "--disable-uvicorn-access-log"),
            *(gpu_flags.flags(settings, build, fit, kv_folder, environ) if device == "gpu" else _cpu_flags(settings)),
            *(("--sse-keep-alive-interval", "2") if build.release >= _KEEP_ALIVE_SINCE else ()),
        ]

    chosen = fit or gpu_flags.unmeasured(settings)
    ours = _environment(device, places.cache) | (gpu_flags.environment(settings) if device == "gpu" else {})
    digest = _fingerprint([build.python, build.version, *flags(None)], ours, model)
    socket = places.runtime / digest / SOCKET_NAME
    if len(os.fsencode(socket)) > SOCKET_PATH_LIMIT:
        raise EngineStartFailed(
            say("The path {socket} is too long for a socket. Set XDG_RUNTIME_DIR to a shorter folder.", socket=socket)
        )
    argv = (build.python, "-m", "vllm.entrypoints.openai.api_server", *flags(chosen), "--uds", str(socket))
    env = _inherit(environ) | ours | _search_path(environ)
    env |= gpu_flags.devices(chosen, environ) if device == "gpu" else {}
    kept = kv_folder if device == "gpu" and settings.kv_disk_gib else None
    return Launch(argv, env, digest, served, device, dtype, socket, gpu_flags.kind(settings, fit), kept)


def kv_key(build: Build, model: Fingerprint, settings: EngineSettings) -> str:
    """A folder's name for what an engine has read: none other than this engine, model and number format may use it.

    How the blocks are laid out in it, and among how many GPUs, vLLM itself adds below.
    """
    whole = json.dumps([build.version, model.model, model.tokenizer, settings.dtype, settings.kv_cache])
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _window(wanted: int, model_window: int, *, fits: bool) -> str:
    if fits and not wanted:
        return "fits"
    wanted = wanted or USUAL_WINDOW
    return str(min(wanted, model_window) if model_window > 0 else wanted)


def is_trusted(settings: EngineSettings) -> bool:
    """Whether the user has allowed this very model to run code."""
    return bool(settings.model) and settings.trusted_model == settings.model


def _loading(*, trusted: bool, own_code: str) -> tuple[str, ...]:
    if not trusted:
        return ("--load-format", "safetensors")  # no pickle
    return ("--load-format", "auto", *(("--trust-remote-code",) if own_code else ()))


def served_name(model_folder: Path) -> str:
    """The name that requests use: the folder's own, of letters that need no quoting anywhere."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model_folder.name).strip("-.") or "model"


def _device(hardware: Hardware, build: Build) -> str:
    if build.cpu_only:
        return "cpu"
    if hardware.gpus:
        return "gpu"
    raise EngineStartFailed(
        say(
            "No usable NVIDIA GPU was found, and this vLLM needs one. Run writer doctor to see why, or {cpu}.",
            cpu=installation.for_the_cpu(),
        )
    )


def _dtype(settings: EngineSettings, device: str) -> str:
    if settings.dtype != "auto":
        return settings.dtype
    return "float32" if device == "cpu" else "auto"  # float32 on a CPU resumes exactly, even from a cold cache


def _cpu_flags(settings: EngineSettings) -> tuple[str, ...]:
    gpu_flags.require_cpu_can(settings)
    return (
        "--enforce-eager",  # compiling takes a minute at every start and gains a tenth
        *("--block-size", str(_CPU_BLOCK), "--max-num-batched-tokens", str(_CPU_PREFILL)),
        *("--kv-cache-memory-bytes", f"{settings.kv_cache_mib}M"),  # vLLM's default wants 92 % of all memory
        *("--logits-processors", "writer_sampler:WordControl", "writer_sampler:PositionSeededSampler"),
    )


def _environment(device: str, cache: Path) -> dict[str, str]:
    ours = {
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "VLLM_LOGGING_LEVEL": "INFO",  # the keeper reads start-up progress from these lines
        "VLLM_CACHE_ROOT": str(cache / "vllm"),  # what lies there is run as code: ours alone
        "VLLM_HOST_IP": "127.0.0.1",  # processes of one engine never meet over a network card
        "GLOO_SOCKET_IFNAME": "lo",
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
    }
    return ours | ({"VLLM_USE_V2_MODEL_RUNNER": "0"} if device == "cpu" else {})


def _inherit(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name not in _UNSET}


def _search_path(environ: Mapping[str, str]) -> dict[str, str]:
    """Ours first: sitecustomize hides a torchvision that breaks a CPU torch, writer_sampler is found by name."""
    theirs = [os.path.abspath(entry) for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return {"PYTHONPATH": os.pathsep.join([str(_PLUGIN / "site"), str(_PLUGIN), *theirs])}


def _fingerprint(command: list[str], ours: Mapping[str, str], model: Fingerprint) -> str:
    whole = json.dumps([command, sorted(ours.items()), model.model, model.tokenizer])
    return hashlib.sha256(whole.encode()).hexdigest()[:8]
