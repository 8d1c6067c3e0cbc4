"""Groups the author's edits into undo steps. What the steps did is the ledger's business."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.widgets.text_area import Edit, EditHistory

from writer.tui.widgets.generated_edit import QuietEdit
from writer.tui.widgets.ledger import Step


class TypingHistory(EditHistory):
    """Textual's history as far as the widget calls it: `record`, `checkpoint` and `clear`.

    A step ends at a pause in typing, a line break, a paste, a change between typing and deleting, or a cursor move.
    """

    PAUSE: ClassVar[float] = 2.0
    LONGEST: ClassVar[int] = 100

    def __init__(self, recorded: Callable[[Edit, Step], None]) -> None:
        """`recorded(edit, step)` is told of every edit of the author's."""
        super().__init__(max_checkpoints=0, checkpoint_timer=self.PAUSE, checkpoint_max_characters=self.LONGEST)
        self._recorded = recorded
        self._step: Step | None = None

    def record(self, edit: Edit) -> None:
        """Note the edit, unless nobody typed it."""
        result = edit._edit_result
        if isinstance(edit, QuietEdit) or result is None or not (edit.text or result.replaced_text):
            return
        removes, breaks = bool(result.replaced_text), "\n" in edit.text + result.replaced_text
        now, size = self._get_time(), len(edit.text)
        if self._step is None or self._ends_before(size, now, removes=removes, breaks=breaks):
            self._step, self._character_count = Step(), 0
        self._character_count += size
        self._last_edit_time, self._previously_replaced = now, removes
        self._force_end_batch = breaks or size > 1
        self._recorded(edit, self._step)

    def clear(self) -> None:
        """Another text was loaded."""
        super().clear()
        self._step = None

    def _ends_before(self, size: int, now: float, *, removes: bool, breaks: bool) -> bool:
        return (
            self._force_end_batch
            or size > 1
            or breaks
            or removes != self._previously_replaced
            or now - self._last_edit_time > self.PAUSE
            or self._character_count + size > self.LONGEST
        )
