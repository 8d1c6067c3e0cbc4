"""The settings themselves, section by section. Each field is followed by its own line of documentation. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """`[engine]`: which engine writes, and how long it stays."""

    kind: str = "vllm"
    """"vllm", or "scripted" for a deterministic engine without a model (tests, demonstrations)."""
    model: str = ""
    """A model folder or hub id; empty means the small model that comes with writer."""
    trusted_model: str = ""
    """A model that may run code of its own, written exactly as in `model`; empty means none may."""
    url: str = ""
    """Address of a vLLM server to use instead of a local engine, "http://…" or "http+unix://…"."""
    protocol: str = "auto"
    """What that server speaks: "vllm" (exact, by token ids), "openai" (by text), or "auto" to find out."""
    cache_salt: str = ""
    """On a server of others: only requests with the same salt share what it has read; empty shares with all."""
    python: str = ""
    """A Python that can import vLLM; empty means the one that runs writer."""
    keep_warm: float = 300.0
    """Seconds an engine stays alive after the last window has gone; 0 stops it at once."""
    after_quit: str = "keep"
    """On a clean quit: "keep" (the same clock as above) or "stop"."""
    after_sleep: str = "continue"
    """When the machine has slept: "continue" by itself with what was being written, or "wait" for the author."""
    window: int = 0
    """Tokens of prompt and text together, at most the model's own; 0 is 8192 on a CPU, and what fits on a GPU."""
    kv_cache_mib: int = 512
    """Memory for the prefix cache on a CPU, in MiB."""
    gpu_memory: float = 0.0
    """Share of the GPU's memory that the engine may take; 0 is what is free at its start, less some for a desktop."""
    gpus: int = 0
    """How many GPUs share one model; 0 is as many equal ones as its heads can be divided among."""
    kv_cache: str = "auto"
    """"auto" (the model's own type) or "fp8": twice the tokens in the same memory of a GPU, rounded more coarsely."""
    speculation: str = "off"
    """"off", or "ngram": words that repeat are guessed and checked several at once (GPU, vLLM 0.32 or newer)."""
    kv_disk_gib: int = 0
    """GiB of disk for what the engine has read, so that a restarted one need not read it again (GPU); 0 is off."""
    dtype: str = "auto"
    """"auto" (float32 on a CPU, where resuming is exact; the model's own on a GPU) or a vLLM dtype."""


@dataclass(frozen=True, slots=True)
class WritingSettings:
    """`[writing]`: how text is drawn. What each does: `presets.WRITING`."""

    preset: str = ""
    temperature: float = 0.8
    top_p: float = 0.95
    top_k: int = 0
    min_p: float = 0.05
    repetition_penalty: float = 1.1
    max_tokens: int = 1200
    min_tokens: int = 0
    stop: tuple[str, ...] = ()
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    dry_multiplier: float = 0.0
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_range: int = 0
    dry_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    xtc_threshold: float = 0.1
    xtc_probability: float = 0.0
    banned: tuple[str, ...] = ()
    think: bool = False
    think_tokens: int = 1000
    raw: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """`[editor]`."""

    theme: str = "ink"
    """Colours: "ink" (dark), "paper" (light), "sepia", "contrast", or the name of one of Textual's themes."""
    autosave: float = 3.0
    """Seconds between saves of a changed chapter."""
    width: int = 80
    """Cells of text in a row, in the middle of the pane; 0 uses the whole pane."""
    typewriter: bool = False
    """The row that is written on stays in the middle of the pane."""
    focus: bool = False
    """All paragraphs but the one with the cursor are dimmed."""
    typography: bool = False
    """Typed straight quotes, "--" and "..." become curly quotes, a dash and an ellipsis."""
    spelling: str = ""
    """A language, such as "en" or "de", in which unknown words are underlined; empty means none."""


@dataclass(frozen=True, slots=True)
class InterfaceSettings:
    """`[interface]`."""

    language: str = "auto"
    """What writer itself speaks: "en", "zh", or "auto" for the language of the system. Holds from the next start."""
