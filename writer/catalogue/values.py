"""What is said of models, and of the machine that is to run one. Sizes in bytes, contexts in tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PLAIN = ("bf16", "fp16", "fp32")
"""Weights that are plain numbers; every other quantisation needs a GPU."""
ANY_LANGUAGE = "*"
"""Stands for the many languages of a model that its page does not name one by one."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What decides whether a model fits. `kv_values`: numbers kept in memory for each token of text, in all layers."""

    size: int
    quantisation: str
    kv_values: int
    context: int


@dataclass(frozen=True, slots=True)
class Machine:
    """What the engine may take. `free` and `total` are of the GPU, or of memory without one; 0 if nobody tells."""

    device: Literal["gpu", "cpu"]
    name: str
    total: int
    free: int
    share: float = 0.85
    """Of a GPU's memory: engine.gpu_memory, or what is free."""
    kv_cache: int = 512 * 2**20
    """engine.kv_cache_mib in bytes: on a CPU the context has this much and no more. What needs more says so."""
    window: int = 8192
    """engine.window, or the usual one: the context that is asked for."""
    wide: bool = True
    """On a CPU: numbers of four bytes (float32) instead of two."""
    gpus: int = 1
    """How many share the model. `total` and `free` are of all of them."""


@dataclass(frozen=True, slots=True)
class Fit:
    """`context`: tokens that a text may have there, at most the model's own. `why` says what is missing, if it is.

    `room`: bytes of memory that it needs set aside for its text; 0 where nothing needs to be set. It is set when the
    model is chosen.
    """

    fits: bool
    context: int
    needed: int
    available: int
    why: str = ""
    room: int = 0

    @property
    def room_mib(self) -> int:
        """The value of engine.kv_cache_mib that sets it aside."""
        return self.room // 2**20

    @property
    def step(self) -> str:
        """The same as it stands in the user's file; "" if none."""
        return f"engine.kv_cache_mib = {self.room_mib}" if self.room else ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One download of a model: its id on the hub, and its weights."""

    hub: str
    weights: Weights


@dataclass(frozen=True, slots=True)
class Listed:
    """A model of the table, as its own page tells. `parameters` in billions."""

    name: str
    parameters: float
    licence: str
    gated: bool
    languages: tuple[str, ...]
    note: str
    variants: tuple[Variant, ...]

    def speaks(self, language: str) -> bool:
        """Whether it was made for this language ("zh", "de-AT"); every model is for ""."""
        wanted = language.lower().replace("_", "-").split("-")[0]
        return not wanted or ANY_LANGUAGE in self.languages or wanted in self.languages


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model of the table, in the form that suits the machine best."""

    model: Listed
    variant: Variant
    fit: Fit


Place = Literal["small", "downloaded", "converted", "cache", "folder", "unfinished"]


@dataclass(frozen=True, slots=True)
class Shelved:
    """A model on this machine. `name` is what `writer models use` takes; `ours`: writer made it, and may erase it."""

    name: str
    place: Place
    folder: Path
    size: int
    weights: Weights | None = None
    licence: str = ""
    chosen: bool = False
    ours: bool = False
    fit: Fit | None = None
    trouble: str = ""
    """Why it cannot write; "" if it can."""


def gigabytes(size: int) -> str:
    """ "16.4 GB"; "270 MB" if it is less than one."""
    return f"{size / 1e9:,.1f} GB" if size >= 950_000_000 else f"{size / 1e6:,.0f} MB"


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file that belongs to a model on the hub. `digest`: sha256 of large ones, git's sha1 of small ones; as hex."""

    name: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A model of the hub, before it is downloaded. `have`: bytes of it that an earlier try left here."""

    hub: str
    revision: str
    licence: str
    gated: bool
    files: tuple[HubFile, ...]
    weights: Weights
    have: int = 0

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a download is. `speed` in bytes a second, `left` in seconds; None while nobody can tell."""

    done: int
    total: int
    speed: float | None = None
    left: float | None = None
    note: str = ""
    """What is happening instead of bytes coming: "" if they come."""
