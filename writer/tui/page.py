"""One opened chapter: its editor, what is on its way into it, and what of it is saved. Pure bookkeeping, no I/O."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from writer.editing.change import Change
from writer.language import say
from writer.manuscript.edits import carried
from writer.manuscript.model import Chapter
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder
from writer.tui.calmed import calm_at
from writer.tui.widgets.stream_buffer import StreamBuffer

if TYPE_CHECKING:
    from writer.manuscript.legacy import LegacyText
    from writer.runtime.events import ChapterMerged, Offer
    from writer.tui.editor.widget import Editor

ALL = 1 << 30
"""As many tokens as there are."""


class Page:
    """A chapter as it is open in the app."""

    def __init__(self, chapter: Chapter, editor: Editor, text: str, legacy: LegacyText | None = None) -> None:
        self.chapter = chapter
        self.legacy = legacy
        """What the file holds if that is not UTF-8: then it can be read, and is never changed or saved."""
        self.editor = editor
        editor.load(text)
        self.buffer = StreamBuffer(editor.append_generated, editor.set_timer, calm=lambda: calm_at(editor.app))
        self.resumable = ""
        """The generation that ctrl+g goes on with."""
        self.onward = ("", "")
        """The take that was chosen last, and its text: if the chapter ends with it, writing goes on with its tokens."""
        self.put_in: dict[str, str] = {}
        """Texts from beside the chapter that were put into it since the app was started."""
        self.taken_out: dict[str, bool] = {}
        """Generations whose text the author has taken out; whether they could go on."""
        self.retried: set[str] = set()
        """Generations that have made room for another one."""
        self.asked = ""
        """The instruction of the last order."""
        self.refusal = ""
        """Why the newest save failed."""
        self.serial = 0
        """Of the newest save order."""
        self.merged = 0
        """The last change of another program that was taken over."""
        self.traced = False
        """Whether it is known who wrote what of the text. Before, a save leaves that as it is on record."""
        self._orders: dict[int, int] = {}  # serial → revision
        self._saved = editor.revision

    @property
    def only_read(self) -> str:
        """Why this chapter can be read but not changed; "" if it can be changed."""
        if self.legacy is None:
            return ""
        if self.legacy.whole:
            return say("This chapter is not UTF-8, so it can only be read. Press Ctrl+P and choose Make a UTF-8 copy.")
        return say(
            "This chapter is not UTF-8, so it can only be read. Save it as UTF-8 in the program it "
            "comes from, then open it again."
        )

    @property
    def beside(self) -> str:
        """Why nothing is generated into this text; "" if it is a chapter."""
        if self.chapter.number:
            return ""
        return say("This is no chapter, so nothing is written into it. Open a chapter to write on.")

    # Saving ---------------------------------------------------------------------------------------------------

    @property
    def dirty(self) -> bool:
        """Whether the file lacks something of the text."""
        return self.legacy is None and self._saved < self.editor.revision

    @property
    def waiting(self) -> bool:
        """Whether a save is under way."""
        return bool(self._orders)

    @property
    def author_saved(self) -> bool:
        """Whether the newest save was answered and holds all that the author did (generated text is always safe)."""
        return not self._orders and self._saved >= self.editor.authored

    def save_order(self, serial: int) -> SaveOrder:
        """An order for the text as it is now."""
        self.serial = serial
        self._orders[serial] = self.editor.revision
        span = self.editor.generated_span()
        spans = (span,) if span and span.generation not in self.taken_out else ()
        origins = self.editor.sheet.origins.stored() if self.traced else ""
        return SaveOrder(self.chapter.path, self.editor.text, serial, spans, self.merged, origins)

    def saved(self, serial: int) -> None:
        """This order was carried out."""
        self._saved = max(self._saved, self._orders.get(serial, 0))
        self._answered(serial)
        self.refusal = ""

    def refused(self, serial: int, sentence: str) -> bool:
        """This order was refused. Returns whether the author has not been told of it yet."""
        self._answered(serial)
        new = sentence != self.refusal
        self.refusal = sentence
        return new

    def _answered(self, serial: int) -> None:
        self._orders = {number: revision for number, revision in self._orders.items() if number > serial}

    def take_over(self, event: ChapterMerged) -> bool:
        """Bring another program's change into the text, as one step that can be undone. False: not this time."""
        if event.onto != self.merged:
            return False
        edits = carried(event.changes, event.base, self.editor.text)
        if edits is None:  # the author is at the same place just now; it is told again after the next save
            return False
        self.merged = event.number
        self.editor.change([Change(*edit) for edit in edits])
        return True

    # Writing --------------------------------------------------------------------------------------------------

    def offer(self, offer: Offer) -> None:
        """Something in this chapter was interrupted and can go on."""
        covered = offer.characters if offer.characters >= 0 else None
        self.editor.begin_generated(offer.generation, offer.start, offer.end, covered)
        self.stopped(offer.generation)

    def choose(self, generation: str, end: str) -> None:
        """This text from beside the chapter is in it now. While the chapter ends with it, it is gone on with."""
        self.put_in[generation] = end
        self.onward = generation, end

    def draft_order(self, instruction: str, instead: str = "") -> DraftOrder:
        """Write on at the end of the text; `instead` of the generation that was discarded for it."""
        self.editor.expect_generated(instead=bool(instead))
        self.asked = instruction
        order = DraftOrder(self.chapter.path, self.editor.text, instruction, self.merged, instead=instead)
        generation, end = self.onward
        if generation and end and not instruction and order.text.endswith(end):
            return replace(order, parent=generation, parent_tokens=ALL)
        return order

    def resume_order(self) -> ResumeOrder | None:
        """Go on where the text stands now; None if there is nothing to go on with."""
        span = self.editor.generated_span()
        if not self.resumable or span is None or span.generation != self.resumable:
            return None
        self.editor.expect_generated()
        return ResumeOrder(span.generation, self.chapter.path, self.editor.text, span.start, span.end, self.merged)

    def stopped(self, resumable: str) -> None:
        """Nothing more comes for now. `resumable` is the generation that can go on, if any."""
        self.buffer.flush()
        self.editor.end_generated()
        self.resumable = resumable
