"""A desk without engine and store that really saves and arranges chapters."""

from __future__ import annotations

from fake_desk import FakeDesk

from writer.errors import WriterError
from writer.manuscript.arranging import Shelf, arrange
from writer.manuscript.book import read_book
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.manuscript.versions import Versions
from writer.runtime.events import ArrangeRefused, ChaptersArranged
from writer.runtime.orders import ArrangeOrder, SaveOrder


class ArrangingDesk(FakeDesk):
    """Saves and arranges as the real one does, but for generations."""

    def __init__(self, novel: Manuscript, *offers: object) -> None:
        super().__init__(*offers)  # type: ignore[arg-type]
        self.folder, self.state = novel.folder, novel.folder.parent / "state"
        self.state.mkdir()
        self.full = False

    def save(self, order: SaveOrder) -> None:
        if self.full:
            self.refusal = "The disk is full."
        else:
            (self.folder / order.chapter).write_text(order.text)
        super().save(order)

    def arrange(self, order: ArrangeOrder) -> None:
        super().arrange(order)
        try:
            plan = order.plan(read_book(self.folder))
            said = arrange(Shelf(self.folder, self.state, Versions(self.state / "versions")), plan)
        except WriterError as error:
            self.report(ArrangeRefused(order.tag, error.sentence))
        else:
            self.report(ChaptersArranged(order.tag, open_manuscript(self.folder), plan.carried, " ".join(said)))
