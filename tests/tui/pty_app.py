"""Run by the terminal tests in a pseudo-terminal: the real app with a fake desk. Usage: pty_app.py FOLDER MODE

Modes: plain (nothing happens), stream (every draft is answered with a long stream), dying (raises in the loop).
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

from fake_desk import FakeDesk  # noqa: E402

from writer.manuscript.project import open_manuscript  # noqa: E402
from writer.runtime.orders import DraftOrder, SaveOrder  # noqa: E402
from writer.tui import __main__ as entry  # noqa: E402


class StreamingDesk(FakeDesk):
    """Answers a draft with a stream until it is paused, and writes chapters as they are saved."""

    def __init__(self, folder: Path, mode: str) -> None:
        super().__init__()
        self.folder, self.mode = folder, mode

    def draft(self, order: DraftOrder) -> None:
        super().draft(order)
        threading.Thread(target=self._stream, daemon=True).start()

    def _stream(self) -> None:
        self.begin()
        for ordinal in itertools.count():
            if not self.writing:
                return
            self.batch(ordinal, f" word{ordinal}")
            time.sleep(0.01)  # the speed of this engine

    def save(self, order: SaveOrder) -> None:
        (self.folder / order.chapter).write_bytes(order.text.encode())
        super().save(order)


def main() -> int:
    folder, mode = Path(sys.argv[1]), sys.argv[2]
    desk = StreamingDesk(folder, mode)
    if mode == "first-paint":
        _note_first_paint(Path(sys.argv[3]))
    return entry.run(open_manuscript(folder), desk, 0.5)


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
