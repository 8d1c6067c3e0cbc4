"""Every place outside the app's screen that prints foreign text on the terminal: commands, the launcher, early errors.

Run in a pseudo-terminal by escape_app.py. Each place prints each payload.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from writer import launcher, locations
from writer.cli import progress
from writer.cli.main import run_command_line
from writer.cli.output import PlainEvents, forgive, json_events, json_outcome, started_line
from writer.engine.base import EngineStatus
from writer.runtime.drafting import Outcome
from writer.runtime.events import BatchCommitted, EngineProgressed, GenerationFailed, GenerationStarted, Noted
from writer.tui.__main__ import main as start_app

STARTED = GenerationStarted("g", "c", 1, 1, 0, 0, 0, 0.1)


def errors(payloads: Sequence[str], folder: Path) -> None:
    """Names of folders that are no manuscripts, told by a command and by the app before its screen opens."""
    for payload in payloads:
        run_command_line(["status", _named(payload)])
        start_app([_named(payload)])


def settings(payloads: Sequence[str], folder: Path) -> None:
    """Keys and values of a manuscript's settings that are wrong."""
    file = folder / "writer.toml"
    whole = file.read_text()
    for payload in payloads:
        quoted = '"' + "".join(f"\\U{ord(c):08x}" for c in _sayable(payload)) + '"'
        file.write_text(f"{whole}\n[settings.writing]\n{quoted} = 1\n")
        run_command_line(["draft", str(folder)])
        file.write_text(f"{whole.partition('chapters =')[0]}\nchapters = [{quoted}]\n")
        run_command_line(["status", str(folder)])
    file.write_text(whole)


def models(payloads: Sequence[str], folder: Path) -> None:
    """Names of folders among the prepared models, and of the one that is chosen."""
    for payload in payloads:
        place = locations.data_dir() / "models" / _named(payload).replace("/", "|")
        place.mkdir(parents=True)
        (place / "config.json").touch()
        run_command_line(["models", "list"])
        run_command_line(["models", "list", "--json"])
        shutil.rmtree(place)


def events(payloads: Sequence[str], folder: Path) -> None:
    """What the model and the engine say, as `writer draft` prints it: plain, as JSON lines, as a progress bar."""
    forgive()
    plain = PlainEvents()
    for payload in payloads:
        for event in (BatchCommitted("g", 0, (1,), payload, 1), Noted(payload), _engine(payload)):
            plain(event)
        json_events(BatchCommitted("g", 0, (1,), payload, 1))
        json_outcome(Outcome(None, 1, payload))


def bar(payloads: Sequence[str], folder: Path) -> None:
    """The progress bar, which moves the cursor itself."""
    shown = progress.Bar(10, started_line)
    for payload in payloads:
        for event in (_engine(payload), STARTED, Noted(payload), BatchCommitted("g", 0, (1,), payload, 1)):
            shown(event)
        shown(GenerationFailed("g", 1, payload))


def farewell(payloads: Sequence[str], folder: Path) -> None:
    """The launcher's last line."""
    for payload in payloads:
        sys.stdout.write(f"start it again with: writer {launcher._last([payload])}\n")


OUTSIDE: dict[str, Callable[[Sequence[str], Path], None]] = {
    "errors": errors,
    "settings": settings,
    "models": models,
    "events": events,
    "bar": bar,
    "farewell": farewell,
}


def _engine(sentence: str) -> EngineProgressed:
    return EngineProgressed(EngineStatus(state="starting", sentence=sentence))


def _sayable(payload: str) -> str:
    return payload.encode("utf-8", "replace").decode()


def _named(payload: str) -> str:
    """As an argument or a name can hold it."""
    return _sayable(payload).replace("\0", "")
