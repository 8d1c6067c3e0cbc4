"""Run by the terminal tests in a pseudo-terminal: the real app with a fake desk. Usage: pty_app.py FOLDER MODE [FILE]

Modes: plain, stream (a draft is answered with a long stream), noisy (writes to stderr), dying (F1 raises),
first-paint (writes what was imported to FILE), hostile-… (shows the payloads in FILE in one of four places).
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

from fake_desk import FakeDesk  # noqa: E402

from writer.config import EditorSettings, InterfaceSettings, Settings  # noqa: E402
from writer.engine.base import EngineStatus  # noqa: E402
from writer.generation.model import StopCause  # noqa: E402
from writer.manuscript.project import add_chapter, open_manuscript  # noqa: E402
from writer.runtime.events import EngineProgressed, Event, GenerationFailed, GenerationInterrupted, Offer  # noqa: E402
from writer.runtime.orders import DraftOrder, SaveOrder  # noqa: E402
from writer.tui import __main__ as entry  # noqa: E402


class StreamingDesk(FakeDesk):
    """Answers a draft with a stream until it is paused, and writes chapters as they are saved."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def draft(self, order: DraftOrder) -> None:
        super().draft(order)
        threading.Thread(target=self.stream, daemon=True).start()

    def stream(self) -> None:
        self.begin()
        for ordinal in itertools.count():
            if not self.writing:
                return
            self.batch(ordinal, f" word{ordinal}")
            time.sleep(0.01)  # the speed of this engine

    def save(self, order: SaveOrder) -> None:
        (self.folder / order.chapter).write_bytes(order.text.encode())
        super().save(order)


class NoisyDesk(StreamingDesk):
    """Lives in a process whose children complain."""

    def start(self, notify: Callable[[Event], None]) -> None:
        sys.stderr.write("stray output\n")
        subprocess.run(["sh", "-c", "echo a child\\'s complaint >&2"], check=True)
        super().start(notify)


class HostileDesk(StreamingDesk):
    """Says the payloads wherever foreign text is shown, and SHOWN after them."""

    def __init__(self, folder: Path, mode: str, payloads: list[str]) -> None:
        super().__init__(folder)
        self.mode, self.payloads = mode, payloads
        self.chapter = next(folder.glob("chapters/*.md"))
        everything = " ".join(payloads)
        if mode == "hostile-chapter":
            add_chapter(open_manuscript(folder), everything[:60])
            self.chapter.write_text("\n".join([*payloads, "SHOWN"]))
        if mode == "hostile-card":
            self.offers = (self._offer(everything),)
            self.engine = EngineStatus(state="starting", sentence=payloads[0])

    def _offer(self, everything: str) -> Offer:
        path = f"chapters/{self.chapter.name}"
        return Offer("g", path, StopCause.KILLED, False, 0, 1, 1, everything, 0, 0, True, everything[:100] + " SHOWN")

    def start(self, notify: Callable[[Event], None]) -> None:
        super().start(notify)
        if self.mode == "hostile-errors":
            everything = " ".join(self.payloads)
            self.report(EngineProgressed(EngineStatus(state="starting", sentence=everything)))
            self.report(GenerationInterrupted("", 0, everything, retrying=True))
            self.report(GenerationFailed("", 0, everything + " SHOWN"))

    def stream(self) -> None:
        self.begin()
        for ordinal, payload in enumerate([*self.payloads, "SHOWN"]):
            self.batch(ordinal, payload + "\n")


def main() -> int:
    folder, mode = Path(sys.argv[1]), sys.argv[2]
    desk = StreamingDesk(folder)
    match mode:
        case "noisy":
            desk = NoisyDesk(folder)
        case "dying":
            _plant_a_fault()
        case "first-paint":
            _note_first_paint(Path(sys.argv[3]))
        case _ if mode.startswith("hostile-"):
            desk = HostileDesk(folder, mode, json.loads(Path(sys.argv[3]).read_text()))
    return entry.run(open_manuscript(folder), desk, _settings())


def _settings() -> Settings:
    """The environment tells Textual to animate nothing; a stream comes as fast as it does all the same."""
    interface = InterfaceSettings(motion="full", screen_reader=bool(os.environ.get("WRITER_SCREEN_READER")))
    return Settings(editor=EditorSettings(autosave=0.5), interface=interface)


def _plant_a_fault() -> None:
    from writer.tui.screens.manuscript import ManuscriptScreen

    def fail(self: ManuscriptScreen) -> None:
        text = self.page.editor.text if self.page else ""  # noqa: F841 - a local that must not get into the log
        raise RuntimeError("planted fault")

    ManuscriptScreen.action_help = fail  # type: ignore[method-assign]


def _note_first_paint(report: Path) -> None:
    """When the first frame has been drawn, note what was imported by then and the CPU it took."""
    from writer.tui.app import WriterApp

    start = WriterApp.on_mount

    def on_mount(self: WriterApp) -> None:
        self.call_after_refresh(note)
        start(self)

    def note() -> None:
        facts = {"modules": sorted(sys.modules), "cpu": time.process_time()}
        temporary = report.with_suffix(".new")
        temporary.write_text(json.dumps(facts))
        os.replace(temporary, report)

    WriterApp.on_mount = on_mount  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main())
