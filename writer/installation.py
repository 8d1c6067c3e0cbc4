"""How this writer was installed, so that a next step names a command that is there: of a checkout, or of pip's.

Who has only the wheel has no scripts/ and no docs/, and often several Pythons. So every sentence that tells someone to
install something gets its command here.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Literal

from writer.language import say

Extra = Literal["gpu", "cpu"]
_ROOT = Path(__file__).resolve().parent.parent


def start() -> Path | None:
    """scripts/start of the checkout whose own environment this is; None for a wheel, and where another one was made."""
    script = _ROOT / "scripts" / "start"
    return script if script.is_file() and _prefix() == _ROOT / ".venv" else None


def pip(*words: str) -> str:
    """The command line of pip with these words, for the environment that writer runs in."""
    return shlex.join([*_pip(words[0]), *words[1:]])


def extra(name: Extra) -> str:
    """The command that brings the vLLM of this kind to a writer that has none."""
    return pip("install", f"writer-tui[{name}]")


def again(name: Extra) -> str:
    """The next step where vLLM is missing, or is not one of those that writer knows."""
    if script := start():
        return say("Run {start} again.", start=_shown(script))
    return say('Run "{command}".', command=extra(name))


def either() -> str:
    """The next step where vLLM is missing, and nobody has looked whether there is a GPU."""
    if script := start():
        return say("Run {start} again.", start=_shown(script))
    return say(
        'With an NVIDIA GPU, run "{gpu}"; without one, run "{cpu}". Then start again.',
        gpu=extra("gpu"),
        cpu=extra("cpu"),
    )


def anew(name: Extra | None = None) -> str:
    """The next step where what is installed does not fit together. `name`: of the build that is wanted."""
    if script := start():
        return say("Remove the folder {folder} and run {start} again.", folder=_prefix(), start=_shown(script))
    if name is None:
        return say("Install writer anew, in a new environment.")
    return say("Install writer in a new environment, with [{name}].", name=name)


def instead(name: Extra) -> str:
    """The next step where the other build of vLLM is installed: both in one environment destroy each other."""
    return again(name) if start() else anew(name)


def for_the_cpu() -> str:
    """The step to a writer that leaves the GPU alone; no whole sentence: it stands behind an "or"."""
    if script := start():
        return say("run {start} with WRITER_BUILD=cpu", start=_shown(script))
    return say("install writer in a new environment, with [{name}]", name="cpu")


def _pip(verb: str) -> list[str]:
    prefix, python = _prefix(), sys.executable
    if (prefix / "pipx_metadata.json").is_file():
        return ["pipx", "runpip", prefix.name, verb]
    if (prefix / "bin" / "pip").is_file():
        return [str(prefix / "bin" / "pip"), verb]
    if shutil.which("uv"):
        return ["uv", "pip", verb, "--python", python]
    return [python, "-m", "pip", verb]


def _prefix() -> Path:
    return Path(sys.prefix)


def _shown(path: Path) -> str:
    return shlex.quote(str(path))
