"""The second half of scripts/start, run by the Python in .venv: the model, a demo manuscript, and the app."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from progress import SetupError, Steps, say

from writer import config, locations
from writer.engine import models
from writer.errors import WriterError

BIN = Path(sys.executable).parent
DEMO = Path(__file__).resolve().parent.parent / "assets" / "demo"


def main(arguments: list[str]) -> None:
    """`arguments`: the build ("cpu" or "gpu"), then the demo's folder, if one was named. Which model writes is asked in
    the app, by the first steps."""
    rest = arguments[1:]
    folder = Path(rest[0] if rest else "~/writer-demo").expanduser().absolute()
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    steps = Steps(total=4, done=2)
    with steps.step("Preparing the model"):
        prepare_model(steps)
    what = "Opening the" if folder.exists() else "Making a demo"
    with steps.step(f"{what} manuscript in {folder}"):
        make_demo(folder)
    if terminal:
        os.execv(BIN / "writer", ["writer", str(folder)])
    say("There is no terminal here, so the app cannot open. Drafting a few lines instead:")
    os.execv(BIN / "writer", ["writer", "draft", str(folder), "--max-tokens", "60"])


def prepare_model(steps: Steps) -> None:
    """The model in force, ready to be loaded. Raises WriterError."""
    engine = config.load(locations.config_file(), None, os.environ).engine
    if engine.kind == "vllm" and not engine.url:
        models.resolve(engine.model, steps.note)


def make_demo(folder: Path) -> None:
    """A manuscript with one begun chapter, whole or not at all; nothing if there is one. Raises SetupError."""
    if (folder / "writer.toml").exists():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    making = [BIN / "writer", "new", str(partial), "--title", "The Harbour Wall"]
    made = subprocess.run(making, capture_output=True, text=True, check=False)
    if made.returncode:
        raise SetupError(made.stderr.strip() or f"No manuscript could be made in {folder}: name another folder.")
    (chapter,) = (partial / "chapters").glob("*.md")
    chapter.write_bytes((DEMO / "chapter-1.md").read_bytes())
    (partial / "notes" / "premise.md").write_bytes((DEMO / "premise.md").read_bytes())
    try:
        partial.rename(folder)  # onto an empty folder too
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise SetupError(f"{folder} is no manuscript, and not empty ({error.strerror}): name another folder.") from None


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (SetupError, WriterError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. Run the same command again: it goes on from here.\n")
        sys.exit(130)
