"""How a download is shown: a bar with speed and time left, JSON lines, or a line for each tenth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from writer.catalogue.values import Offer, Progress
from writer.catalogue.wording import progress_words
from writer.cli.output import emit, tell
from writer.text.sanitise import one_line


@contextmanager
def shown(offer: Offer, *, as_json: bool) -> Iterator[Callable[[Progress], None]]:
    """Where progress is reported to."""
    if as_json:
        yield _line
    elif sys.stderr.isatty():
        with _bar(offer) as report:
            yield report
    else:
        yield _Tenths()


def _line(progress: Progress) -> None:
    emit({"event": "progress", "done": progress.done, "total": progress.total, "note": progress.note})


class _Tenths:
    """What goes into a file or a pipe is not drowned in lines."""

    def __init__(self) -> None:
        self._told = -1

    def __call__(self, progress: Progress) -> None:
        tenth = 10 * progress.done // max(1, progress.total)
        if progress.note or tenth > self._told:
            self._told = max(self._told, tenth)
            tell(progress_words(progress), error=True)


@contextmanager
def _bar(offer: Offer) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=24), TextColumn("{task.fields[words]}", markup=False))
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(one_line(offer.hub), total=max(1, offer.size), completed=offer.have, words="")
        yield lambda now: bar.update(task, completed=now.done, words=one_line(progress_words(now), 100))
