"""Opens the state for writing, whatever has become of it: what is damaged is put in order, and the author is told."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from writer.errors import StateDamaged, StateFull
from writer.language import say
from writer.storage import salvage
from writer.storage.copies import Copies
from writer.storage.database import mapped
from writer.storage.state_file import StateFile

_TAIL_MISSING = say(
    "Part of the saved state (state.db-wal) was removed by another program. "
    "The newest words may be missing; compare the end of the chapter."
)
_log = logging.getLogger(__name__)


def open_state(path: Path, *, boot_id: str, now: Callable[[], float] = time.time) -> StateFile:
    """The state at `path`, under the manuscript's lock. Its `notes` say what the author must know of it.

    Raises StateLocked, StateReadOnly, StateFull, StateTooNew; StateDamaged only if mending it did not help.
    """
    with mapped():
        salvage.finish(path)  # a kill may have come between
        damage = salvage.seen_from_outside(path)
    if not damage:
        try:
            state = StateFile(path, boot_id=boot_id, now=now, home=path.parent)
            if state.tail_may_be_missing:
                state.notes = (_TAIL_MISSING,)
            return state
        except StateDamaged as error:
            damage = error.detail or error.sentence
        except StateFull as error:
            if not salvage.unreadable(path):
                raise
            damage = error.detail
    _log.warning("the state is damaged: %s", damage)
    note = salvage.mend(path, Copies(path.parent / "copies").files())
    state = StateFile(path, boot_id=boot_id, now=now, home=path.parent)
    state.notes = (note,)
    return state
