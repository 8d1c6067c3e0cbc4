"""vLLM loaded on trial, in a process of its own that ends at once: what is installed is not always what works."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from writer.language import say

SECONDS = 120.0
_TRY = "import json, torch, vllm; print(json.dumps([torch.__version__, torch.cuda.is_available()]))"


@dataclass(frozen=True, slots=True)
class Trial:
    """`trouble`: the last line of what it said if it could not be loaded; "" if it could. `cuda`: it sees a GPU."""

    torch: str = ""
    cuda: bool = False
    trouble: str = ""


def load(python: str) -> Trial:
    """Load vLLM with this Python. Takes five seconds, on a slow disk up to two minutes. Raises nothing."""
    try:
        done = subprocess.run(
            [python, "-c", _TRY],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
            cwd="/",  # with -c the working folder is searched first, and it may be a stranger's manuscript
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Trial(trouble=say("it took longer than {seconds:.0f} s", seconds=SECONDS))
    except OSError as error:
        return Trial(trouble=error.strerror or str(error))
    return _understood(done)


def _understood(done: subprocess.CompletedProcess[str]) -> Trial:
    """The answer is the last line; above it libraries may have said whatever they like."""
    said = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    try:
        torch, cuda = json.loads(said[-1]) if done.returncode == 0 else ("", False)
        if torch:
            return Trial(torch, cuda)
        return Trial(trouble=said[-1] if said else say("it ended with {code}", code=done.returncode))
    except (ValueError, IndexError, TypeError):
        return Trial(trouble=say("its answer cannot be understood"))
