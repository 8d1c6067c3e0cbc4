"""A release: version and changelog agree, the tests pass, wheel and sdist are built, and the wheel works by itself.

Nothing is uploaded. `scripts/release FOLDER` leaves both files in FOLDER.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from progress import say

ROOT = Path(__file__).resolve().parent.parent
USE = (
    ("--version",),
    ("doctor",),
    ("models", "list"),
    ("config", "show"),
    ("completion", "bash"),
    ("new", "book", "--title", "The Harbour"),
    ("draft", "book", "--max-tokens", "60"),
    ("export", "book", "--to", "docx", "--output", "book.docx"),
    ("export", "book", "--to", "epub", "--output", "book.epub"),
    ("status", "book"),
    ("import", "letter.md", "letter"),
    ("export", "letter", "--to", "pdf", "--output", "letter.pdf"),
)
"""What is tried with the wheel, in a folder that has a letter. The PDF is of that: the scripted engine writes some
Chinese too, and not every machine has a typeface for it."""
LETTER = "# The Harbour\n\nThe lamp had gone out an hour before the ship was seen.\n"


class NotReady(Exception):
    """One sentence: what keeps the release from being made."""


def main(arguments: list[str]) -> int:
    """The exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        say("Usage: scripts/release FOLDER. Checks, tests, builds into FOLDER, and tries the wheel.")
        return 2
    try:
        version = ready()
        if subprocess.run([ROOT / "scripts" / "test"], check=False).returncode:
            raise NotReady("The tests fail: mend that first.")
        wheel = build(Path(arguments[0]).resolve())
        with tempfile.TemporaryDirectory(prefix="writer-release-") as place:
            python = environment(Path(place) / "venv", wheel)
            tried(python, Path(place), os.environ)
    except NotReady as error:
        sys.stderr.write(f"{error}\n")
        return 1
    say(f"{wheel.name} is ready. Tag it: git tag -a v{version} -m 'writer {version}'")
    return 0


def ready() -> str:
    """The version, if the tree may be released as it. Raises NotReady."""
    version = _version((ROOT / "writer" / "__init__.py").read_text(encoding="utf-8"))
    changes = (ROOT / "docs" / "CHANGELOG.md").read_text(encoding="utf-8")
    if why := unready(version, changes):
        raise NotReady(why)
    if _git("status", "--porcelain"):
        raise NotReady("Some files are changed and not committed: commit or undo that first.")
    if _git("tag", "--list", f"v{version}"):
        raise NotReady(f"Version {version} was released already: set a new one in writer/__init__.py.")
    return version


def unready(version: str, changes: str) -> str:
    """Why the changelog does not fit the version, as a sentence; "" if it does."""
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, flags=re.MULTILINE):
        return f"docs/CHANGELOG.md has no section for {version}: name it “## [{version}] - YYYY-MM-DD”."
    waiting = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changes, flags=re.MULTILINE | re.DOTALL)
    if waiting and waiting[1].strip():
        return f"docs/CHANGELOG.md has changes under [Unreleased]: move them to {version}, or raise the version."
    return ""


def build(folder: Path) -> Path:
    """Wheel and sdist into `folder`; the wheel. Raises NotReady."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    if subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode:
        raise NotReady("The build failed: its own words stand above.")
    return max(folder.glob("*.whl"), key=lambda file: file.stat().st_mtime)


def environment(folder: Path, wheel: Path) -> Path:
    """A virtual environment that holds the wheel and what it needs, and nothing else; its Python. Raises NotReady."""
    python = folder / "bin" / "python"
    needs = ["-c", str(ROOT / "scripts" / "constraints-cpu.txt"), f"{wheel}[export]"]
    for command in ([sys.executable, "-m", "venv", folder], [python, "-m", "pip", "install", "-q", *needs]):
        if subprocess.run(command, check=False).returncode:
            raise NotReady("The wheel cannot be installed in a new virtual environment: pip's words stand above.")
    return python


def tried(python: Path, place: Path, environ: Mapping[str, str]) -> None:
    """Use the wheel once, with a home of its own and without a model. Raises NotReady."""
    own = {f"XDG_{name}_HOME": str(place / name) for name in ("CONFIG", "STATE", "DATA", "CACHE")}
    env = {**environ, **own, "XDG_RUNTIME_DIR": str(place), "WRITER_ENGINE": "scripted"}
    (place / "letter.md").write_text(LETTER, encoding="utf-8")
    for words in USE:
        ran = subprocess.run(
            [python, "-m", "writer", *words], cwd=place, env=env, capture_output=True, text=True, check=False
        )
        if ran.returncode and words != ("doctor",):  # it tells of a missing GPU by its exit code
            raise NotReady(f"With the wheel, “writer {' '.join(words)}” fails: {(ran.stderr or ran.stdout).strip()}")
        if "Traceback" in ran.stdout + ran.stderr:
            raise NotReady(f"With the wheel, “writer {' '.join(words)}” prints a traceback.")
        if "scripts/" in ran.stdout + ran.stderr:
            raise NotReady(f"With the wheel, “writer {' '.join(words)}” names a file that it has not.")


def _version(source: str) -> str:
    found = re.search(r'^__version__ = "([^"]+)"$', source, flags=re.MULTILINE)
    if not found:
        raise NotReady("writer/__init__.py names no version.")
    return found[1]


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
