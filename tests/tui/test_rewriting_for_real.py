"""A passage is rewritten in the app by the real desk with the scripted engine: card, chapter, file, and a restart."""

from __future__ import annotations

from pathlib import Path

from desktop import make_novel
from real_window import window

from writer.tui.rewriting.card import RewriteCard

PASSAGE = "The ship came in."


async def test_a_rewriting_is_taken_saved_and_known_as_the_models_after_a_restart(tmp_path: Path) -> None:
    novel = make_novel(tmp_path)
    file = novel.folder / novel.chapters[0].path
    before = file.read_text()
    async with window(novel) as desktop:
        editor = desktop.page.editor
        editor.move_to(before.index("ship"))
        await desktop.press("f12", "r")
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        card = desktop.app.screen
        assert isinstance(card, RewriteCard)
        await desktop.until(lambda: card._answers.shown.usable)
        new = card._answers.shown.found
        assert new is not None
        assert new.original == PASSAGE
        assert file.read_text() == before
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert editor.text == before.replace(PASSAGE, new.text)
        await desktop.until(lambda: file.read_text() == editor.text)
        text = editor.text
    async with window(novel) as desktop:
        editor = desktop.page.editor
        assert editor.text == text
        (known,) = editor.sheet.origins.ranges
        assert known.origin == new.generation
        assert editor.text[known.start : known.end] in new.text
        editor.move_to(known.start)
        desktop.screen.origins.ask(desktop.page)
        await desktop.until(lambda: any("a rewriting (rewrite)" in each for each in desktop.told))
