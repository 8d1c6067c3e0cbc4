"""vLLM's last words, as a table: the first row whose pattern is found says what happened, what to do, and what we do.

Data only. The lines are those of vLLM 0.26 to 0.33, PyTorch and the NVIDIA driver; tests/engine/recorded has one log
for each row.
"""

from __future__ import annotations

from writer import installation
from writer.engine.fault_row import Recovery, Row
from writer.language import say

NONE, AGAIN, LOWER, FIT = Recovery
MODEL, MACHINE, SETUP = "model", "machine", "setup"


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
_NOT_NEEDED = ("torchvision", "torchaudio", "torchcodec")
"""Packages that vLLM asks for and writer does not use."""


def _bare(step: str) -> str:
    """A step without fields, whatever a path in it may hold: those of a row are filled from the log."""
    return step.replace("{", "{{").replace("}", "}}")


ROWS = (
    Row(
        r"Driver/library version mismatch|NVML/RM version mismatch",
        MACHINE,
        NONE,
        say("The NVIDIA driver was updated since this machine was started."),
        say("Restart the machine, then start again."),
    ),
    Row(
        r"NVIDIA driver on your system is too old|CUDA driver version is insufficient",
        MACHINE,
        NONE,
        say("The NVIDIA driver is too old for this vLLM."),
        say("Update the driver, then start again."),
    ),
    Row(
        r"GPU is lost|fallen off the bus|Xid.{0,20}\b79\b|GPU requires restart",
        MACHINE,
        NONE,
        say("The GPU cannot be reached any more."),
        say("Restart the machine; your text can be edited meanwhile."),
    ),
    Row(
        _GPU_ABSENT,
        MACHINE,
        NONE,
        say("No usable NVIDIA GPU was found."),
        _bare(say("Run writer doctor to see why, or {cpu}.", cpu=installation.for_the_cpu())),
    ),
    Row(
        r"devices? is/are busy or unavailable|CUDA-capable device\(s\) is/are busy",
        MACHINE,
        AGAIN,
        say("Another program has the GPU for itself."),
        say("Close it, then start again."),
    ),
    Row(
        r"no kernel image is available for execution",
        MACHINE,
        NONE,
        say("This GPU is too old for the installed vLLM."),
        say("Install an older vLLM, or the CPU build."),
    ),
    Row(
        r"Bfloat16 is only supported on GPUs",
        SETUP,
        NONE,
        say("This GPU cannot calculate in bfloat16."),
        say('Set engine.dtype to "half" in the settings, then start again.'),
    ),
    Row(
        r"Free memory on device(?: \S+)? \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\)",
        MACHINE,
        LOWER,
        say("Only {free} of {total} GiB of the GPU's memory are free: another program holds the rest."),
        say("Close it, or lower engine.gpu_memory in the settings."),
    ),
    Row(
        r"estimated maximum model length is (?P<fits>\d+)",
        SETUP,
        FIT,
        say("The memory is enough for {fits} tokens of prompt and text, not for the window asked for."),
        say(
            "Set engine.window to {fits} or less in the settings, or give it more with engine.kv_cache_mib (CPU) "
            "or engine.gpu_memory (GPU)."
        ),
    ),
    Row(
        r"To serve at least one request with|No available memory for the cache blocks",
        SETUP,
        NONE,
        say("The model fits, but no memory is left for the text."),
        say(
            "Choose a smaller model, or give the engine more memory with engine.gpu_memory (GPU) or "
            "engine.kv_cache_mib (CPU) in the settings."
        ),
    ),
    Row(
        r"out of memory occurred when warming up sampler",
        SETUP,
        LOWER,
        say("The GPU's memory is nearly enough: it ran out while the engine was warming up."),
        say("Lower engine.gpu_memory in the settings, or choose a smaller model."),
    ),
    Row(
        _TOO_FULL + r"|CUDA error: out of memory",
        SETUP,
        NONE,
        say("The GPU's memory is not enough for this model."),
        say("Choose a smaller model, or close other programs on the GPU."),
    ),
    Row(
        r"Error in memory profiling",
        MACHINE,
        AGAIN,
        say("Another program gave GPU memory back while the engine was measuring it."),
        say("Start again."),
    ),
    Row(
        r"Available memory on node \d+ \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\)",
        MACHINE,
        NONE,
        say("Only {free} of {total} GiB of memory are free, too little for the engine."),
        say("Close other programs, or lower engine.kv_cache_mib in the settings."),
    ),
    Row(
        r"Insufficient space in /dev/shm|No space left on device|unable to write to file </torch",
        MACHINE,
        NONE,
        say("A disk is full (perhaps /tmp or /dev/shm), so the engine cannot start."),
        say("Free some space, then start again."),
    ),
    Row(
        r"can't allocate memory|\bMemoryError\b|Cannot allocate memory",
        MACHINE,
        NONE,
        say("This machine's memory is not enough for the model."),
        say("Close other programs, or choose a smaller model."),
    ),
    Row(
        _CUT_OFF,
        MODEL,
        NONE,
        say("A file of the model is damaged or cut off."),
        say("Copy or download the model again."),
    ),
    Row(
        r"Cannot find any model weights",
        MODEL,
        NONE,
        say("The model's folder has no *.safetensors files."),
        say("Copy or download the model again."),
    ),
    Row(
        r"Following weights were not initialized from checkpoint",
        MODEL,
        NONE,
        say("The model's files do not hold all of its weights."),
        say("Copy or download the model again."),
    ),
    Row(
        r"Model architectures? \[?(?P<names>[^\]\n]*?)\]? (?:are|is) not supported"
        r"|Model architectures \[(?P<unread>[^\]]*)\] failed to be inspected",
        MODEL,
        NONE,
        say("The installed vLLM does not know this kind of model ({names}{unread})."),
        say("Choose another model, or a newer vLLM."),
    ),
    Row(
        r"does not recognize this architecture|Tokenizer class '?(?P<tokenizer>\w+)'? "
        r"(?:is not currently imported|specified in the tokenizer config|does not exist)",
        MODEL,
        NONE,
        say("The installed libraries are older than this model."),
        say("Choose another model, or a newer vLLM."),
    ),
    Row(
        r"Unknown quantization method: (?P<how>[\w.-]+)"
        r"|The quantization method (?P<method>[\w.-]+) is not supported for the current GPU",
        MODEL,
        NONE,
        say("The model is stored in a form ({how}{method}) that this vLLM or this machine cannot calculate with."),
        say("Choose the same model in another form."),
    ),
    Row(
        r"trust_remote_code|contains custom code which must be executed",
        MODEL,
        NONE,
        say("This model wants to run code of its own, which writer does not do."),
        say("Choose another model."),
    ),
    Row(
        r"max_model_len \((?P<asked>\d+)\) is greater than the derived max_model_len \(\D*=?(?P<fits>\d+)",
        SETUP,
        FIT,
        say("The model's window is {fits} tokens."),
        say("Set engine.window to {fits} or less in the settings."),
    ),
    Row(
        _NOT_A_FOLDER,
        MODEL,
        NONE,
        say("The model's folder is not one that vLLM can read."),
        say("Name a folder with config.json and *.safetensors."),
    ),
    Row(
        r"unrecognized arguments: (?P<flag>--[\w-]+)",
        SETUP,
        NONE,
        say("The installed vLLM does not know {flag}: it is older or newer than writer expects."),
        say("Install one between 0.26 and 0.33."),
    ),
    Row(
        r"No module named '?vllm",
        SETUP,
        NONE,
        say("vLLM is not installed for this Python."),
        _bare(installation.either()),
    ),
    Row(
        r"torchvision::nms does not exist",
        SETUP,
        NONE,
        say("The installed torchvision does not fit this PyTorch."),
        _bare(say('Run "{command}".', command=installation.pip("uninstall", "-y", *_NOT_NEEDED))),
    ),
    Row(
        r"undefined symbol: |version [`']?(?:GLIBC|GLIBCXX|CXXABI)_[\d.]+'? not found"
        r"|lib(?:cudart|cublas|nccl|torch)\S*: cannot open shared object",
        SETUP,
        NONE,
        say("The installed vLLM does not fit the libraries beside it."),
        _bare(installation.anew()),
    ),
)

LAST_ROWS = (
    Row(
        r"Failed to find C compiler|InvalidCxxCompiler|No such file or directory: '(?:gcc|g\+\+|cc)'",
        SETUP,
        NONE,
        say("vLLM needs a C compiler here."),
        say("Install gcc with the system's package tool, then start again."),
    ),
    Row(
        r"Address already in use",
        SETUP,
        AGAIN,
        say("The engine's socket is in use by another engine."),
        say("Run writer engine stop, then start again."),
    ),
    Row(
        r"Timed out waiting for engine core|RPC call to \w+ timed out|DistStoreError",
        MACHINE,
        AGAIN,
        say("The engine's processes lost each other while starting, as they do on a crowded machine."),
        say("Close other programs, then start again."),
    ),
    Row(
        r"NCCL error|ncclUnhandledCudaError|ncclSystemError",
        MACHINE,
        AGAIN,
        say("The GPUs cannot talk to each other."),
        say("Start again; if it comes back, restart the machine."),
    ),
    Row(
        r"CUDA error: (?P<what>[A-Za-z ,-]+)|CUDNN_STATUS_(?P<cudnn>\w+)|CUBLAS_STATUS_(?P<cublas>\w+)",
        MACHINE,
        AGAIN,
        say("The GPU reported an error ({what}{cudnn}{cublas})."),
        say("Start again; if it comes back, restart the machine."),
    ),
)
"""What is often only a consequence of something above."""
