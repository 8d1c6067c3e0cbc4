"""A take is put into its chapter, and what stood there before is on record as what it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from writer.editing.change import Change
from writer.runtime.takes import Take
from writer.tui.takes.placing_takes import Put, order_of, put_text

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen


def put_at(screen: ManuscriptScreen, page: Page, take: Take, start: int, end: int) -> Put:
    """One step that can be undone. The chapter is saved with it before it is on record."""
    editor, text = page.editor, put_text(take, page.editor.text, start)
    if page.resumable:
        screen.keep(page)
    former = _former(screen, page, start, end)
    editor.forget_generated()
    editor.put_in(Change(start, end - start, text), take.generation, former.generation if former else "")
    page.choose(take.generation, take.text)
    screen.keeping.save(page, always=True)
    if former is not None and former.role == "text":
        page.put_in.setdefault(former.generation, former.text)
        screen.desk.discard(former.generation, editor.text, (start, start + len(text)))
    elif former is not None:
        screen.desk.unchoose(former.generation)
    screen.desk.choose(take.generation)
    editor.focus()
    editor.move_to(start + len(text))
    return Put(take.generation, order_of(take), start, text, editor.text)


def _former(screen: ManuscriptScreen, page: Page, start: int, end: int) -> Take | None:
    """The text whose place it takes, if it is one text, and all of it."""
    there, put = page.editor.text[start:end], screen.put
    if not there:
        return None
    if put is not None and put.text == there:
        return screen.board.take(put.generation)
    inside = (take for take in screen.board.takes(page.chapter.path) if take.inside)
    return next((take for take in inside if there in (take.text, take.before + take.text)), None)
