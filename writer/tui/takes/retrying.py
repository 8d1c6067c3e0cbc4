"""Retry: the text that was written last makes room for another one, and is kept as a take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from writer.language import say

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen


def retry(screen: ManuscriptScreen) -> None:
    """Take the last text of the chapter that is shown out of it, and write there anew, with the same instruction.

    One step of undo puts it back.
    """
    page = screen.page
    if page is None or not screen.open_for_writing or screen.only_reads or screen.rearranged:
        return
    if screen.here.busy:
        screen.complain(say("This chapter is being written. Press Ctrl+G to pause it, then try again."), "information")
        return
    span = page.editor.generated_span()
    if span is None or page.only_read or page.editor.text[span.end :].strip():
        screen.complain(
            say("No written text stands at the end of this chapter, so there is none to retry."), "information"
        )
        return
    former = span.generation
    page.retried.add(former)
    page.taken_out[former] = page.resumable == former  # once it is back, it goes on as before
    page.resumable = ""
    page.editor.discard_generated()
    screen.writings.asked(page.chapter.path)
    screen.desk.draft(page.draft_order(page.asked, former))
    screen.order_given(page)
