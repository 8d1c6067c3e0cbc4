"""What the author does with whole chapters: orders to the writing thread, and what the screen makes of the answers.

What is open is saved first. A chapter that is being written stays as it is; so does, where texts are cut or joined,
one with paused text. Until the answer comes, chapters that are cut or joined cannot be typed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from writer.language import say
from writer.manuscript import chapter_plans
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book
from writer.manuscript.chapter_facts import STATUSES, ChapterFacts
from writer.manuscript.model import Chapter
from writer.runtime.events import ArrangeRefused, ChaptersArranged, Event, GenerationFailed
from writer.runtime.orders import ArrangeOrder
from writer.text.sanitise import one_line
from writer.tui.book.adding import Adding
from writer.tui.book.plans import number_of, refuse_changed
from writer.tui.screens.ask import Ask
from writer.tui.screens.choice import Choice

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen

Plan = Callable[[Book], Arrangement]


class Arranging:
    """The changes of chapters of one screen."""

    def __init__(self, screen: ManuscriptScreen) -> None:
        self._screen = screen
        self._number = 0
        self._waiting: dict[str, tuple[list[Page], bool]] = {}
        """By tag: pages that cannot be typed in until the answer comes; whether to show a chapter that is new."""
        self.adding = Adding(screen, self._order)
        self.renames: dict[str, str] = {}
        """Chapters that have another path now, by the former one."""

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited."""
        return bool(self._waiting)

    # What the author wants ------------------------------------------------------------------------------------

    def status(self, path: str) -> None:
        """The next status of the chapter; behind the last one comes none."""
        said = self._screen.facts.get(path)
        order = ("", *STATUSES)
        following = order[(order.index(said.status if said else "") + 1) % len(order)]
        self._screen.facts[path] = replace(said or ChapterFacts(), status=following)
        self._order(lambda book: chapter_plans.said(book, number_of(book, path), status=following))
        self._screen.show_state()
        if following == STATUSES[-1]:
            self._screen.summaries.marked_done(path)

    def goal(self, path: str) -> None:
        """Ask how many words the chapter is to have."""
        self._ask_words(say("Words that this chapter is to have (0: no goal)"), lambda words: self._goal(path, words))

    def _goal(self, path: str, words: int) -> None:
        self._order(lambda book: chapter_plans.said(book, number_of(book, path), goal=words))

    def part(self, path: str) -> None:
        """Ask which part of the book the chapter belongs to."""
        said = self._screen.facts.get(path)
        self._screen.app.push_screen(
            Ask(
                say("Part of the book that this chapter belongs to"),
                say("Empty: to none. Enter sets it."),
                said.part if said else "",
            ),
            lambda part: self._part(path, part) if part is not None else None,
        )

    def _part(self, path: str, part: str) -> None:
        self._order(lambda book: chapter_plans.moved(book, number_of(book, path), part=part))

    def day_goal(self) -> None:
        """Ask how many words the author wants to write in a day."""
        self._ask_words(
            say("Words to write in a day (0: no goal)"),
            lambda words: self._order(lambda book: chapter_plans.day_goal(book, words)),
        )

    def rename(self, path: str) -> None:
        """Ask for another title."""
        title = self._title(path)
        hint = say("Enter renames the chapter and its file; Escape goes back.")
        self._screen.app.push_screen(
            Ask(say("Title of the chapter"), hint, title), lambda new: self._rename(path, new) if new else None
        )

    def _rename(self, path: str, title: str) -> None:
        self._order(lambda book: chapter_plans.renamed(book, number_of(book, path), title))

    def up(self, path: str) -> None:
        """In front of the chapter before."""
        self._move(path, -2)

    def down(self, path: str) -> None:
        """Behind the next chapter."""
        self._move(path, 1)

    def _move(self, path: str, step: int) -> None:
        number = self._screen.manuscript.chapter(path).number
        if 0 <= number + step <= len(self._screen.manuscript.chapters):
            self._order(
                lambda book: chapter_plans.moved(book, number_of(book, path), after=number_of(book, path) + step)
            )

    def merge(self, path: str) -> None:
        """Ask, then put the next chapter behind this one."""
        screen, chapters = self._screen, self._screen.manuscript.chapters
        number = screen.manuscript.chapter(path).number
        if number == len(chapters):
            screen.complain(say("There is no chapter behind the last one to merge it with."), "information")
            return
        both = [path, chapters[number].path]
        if any(self._refuses(each) for each in both):
            return
        lines = [
            say(
                "Merge “{first}” with “{second}”?",
                first=one_line(self._title(path), 60),
                second=one_line(self._title(both[1]), 60),
            ),
            say("The second one's text comes behind the first one's, its heading one level lower, and its file goes."),
            say("A summary of it comes behind the first one's."),
        ]
        card = Choice(lines, (("merge", say("Merge")), ("back", say("Back"))))
        screen.app.push_screen(card, lambda answer: self._merge(*both) if answer == "merge" else None)

    def _merge(self, path: str, other: str) -> None:
        texts = self._held(path, other)

        def plan(book: Book) -> Arrangement:
            refuse_changed(book, texts)
            return chapter_plans.merged(book, number_of(book, path), number_of(book, other))

        self._order(plan, still=(path, other))

    def split(self) -> None:
        """Ask for a title, then cut the chapter that is shown at the cursor."""
        page = self._screen.page
        if page is None or page.beside or page.only_read:
            self._screen.complain(say("Open a chapter, and put the cursor where it is to be cut."), "information")
        elif not self._refuses(page.chapter.path):
            hint = say(
                "Empty: its own heading, or this title again. Enter cuts the chapter at the cursor; Escape goes back."
            )
            at = page.editor.cursor
            self._screen.app.push_screen(
                Ask(say("Title of the chapter that begins here"), hint),
                lambda title: self._split(page, at, title) if title is not None else None,
            )

    def _split(self, page: Page, offset: int, title: str) -> None:
        path = page.chapter.path
        texts = self._held(path)

        def plan(book: Book) -> Arrangement:
            refuse_changed(book, texts)
            return chapter_plans.split(book, number_of(book, path), offset, title)

        self._order(plan, still=(path,), show_new=True)

    # Orders ---------------------------------------------------------------------------------------------------

    def _order(self, plan: Plan, *, still: Sequence[str] = (), show_new: bool = False) -> str:
        """The order's tag; "" if there is none."""
        screen = self._screen
        if screen.only_reads:
            screen.complain(say("This window only reads: chapters are changed in the one that writes."), "information")
            return ""
        if not screen.open_for_writing:
            screen.complain(say("The manuscript is still being opened. Try again in a moment."), "information")
            return ""
        for page in screen.pages.values():
            page.buffer.flush()
            screen.keeping.save(page)
        held = [screen.pages[path] for path in still if path in screen.pages]
        for page in held:
            page.editor.read_only = True
        self._number += 1
        self._waiting[tag := f"arrange {self._number}"] = held, show_new
        screen.desk.arrange(ArrangeOrder(tag, plan))
        return tag

    def _refuses(self, path: str) -> bool:
        """Whether the chapter cannot be cut or joined now; the author is told why."""
        screen, page = self._screen, self._screen.pages.get(path)
        name = f"“{one_line(self._title(path), 60)}”"
        if screen.writings.of(path).busy:
            screen.complain(say("{name} is being written. Press Ctrl+G to pause it first.", name=name), "information")
        elif path in screen.offers or (page and page.resumable):
            screen.complain(
                say("There is paused text in {name}. Press Ctrl+P there to keep or discard it first.", name=name),
                "information",
            )
        else:
            return False
        return True

    def _held(self, *paths: str) -> dict[str, str]:
        """The texts of those that are open: the plan is made for exactly these."""
        pages = self._screen.pages
        for path in paths:
            if path in pages:
                pages[path].buffer.flush()
        return {path: pages[path].editor.text for path in paths if path in pages}

    def _title(self, path: str) -> str:
        return self._screen.manuscript.chapter(path).title

    def _ask_words(self, question: str, then: Callable[[int], object]) -> None:
        def answered(line: str | None) -> None:
            digits = (line or "").replace(",", "").replace(".", "").strip()
            if digits.isdecimal() and len(digits) < 8:
                then(int(digits))
            elif line:
                self._screen.complain(say("A goal is a number of words. Try again."), "information")

        self._screen.app.push_screen(Ask(question, say("Enter sets it; Escape goes back.")), answered)

    # Answers --------------------------------------------------------------------------------------------------

    def heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        if isinstance(event, ChaptersArranged):
            self._arranged(event)
        elif isinstance(event, ArrangeRefused):
            self._answered(event.tag)
            self._screen.complain(event.sentence, "warning")
            self._screen.read_facts()
        elif isinstance(event, GenerationFailed) and not (event.generation or event.chapter or event.tag):
            for tag in list(self._waiting):  # the writing thread has failed at it: no answer will come
                self._answered(tag)

    def _answered(self, tag: str) -> bool:
        """Whether a chapter that is new now is to be shown."""
        screen = self._screen
        held, show_new = self._waiting.pop(tag, ([], False))
        self.adding.answered(tag, "")
        for page in held:
            page.editor.read_only = screen.keeping.leaving or page.legacy is not None or screen.only_reads
        return show_new

    def _arranged(self, event: ChaptersArranged) -> None:
        screen = self._screen
        before = {chapter.path for chapter in screen.manuscript.chapters}
        new = next((chapter.path for chapter in event.manuscript.chapters if chapter.path not in before), "")
        self.adding.answered(event.tag, new)
        show_new = self._answered(event.tag)
        screen.manuscript = event.manuscript
        kept = {each.old for each in event.carried if each.old == each.new}
        for each in event.carried:
            if each.old in kept:  # it is where it was; what was cut off of it is read from its file
                continue
            if each.new in kept:
                self._joined(each.old, each.new)
            else:
                self._renamed(each.old, each.new)
        for page in screen.pages.values():
            page.chapter = screen.named(page.chapter.path) or page.chapter
        if show_new and new:
            screen.show_beginning(new)
        if event.sentence:
            screen.complain(event.sentence, "warning")
        screen.show_state()
        screen.read_facts()

    def _renamed(self, old: str, new: str) -> None:
        screen = self._screen
        self.renames[old] = new
        if offer := screen.offers.pop(old, None):
            screen.offers[new] = replace(offer, chapter=new)
        if screen.texts.pop(old, None):  # a text beside the chapters, such as a summary
            screen.texts[new] = Chapter(0, new, new)
        if page := screen.pages.pop(old, None):
            screen.pages[new] = page
            page.chapter = screen.named(new) or page.chapter
            screen.keeping.save(page, always=True)  # then the change of its heading is told

    def _joined(self, old: str, new: str) -> None:
        screen = self._screen
        page = screen.pages.pop(old, None)
        if page is None:
            return
        if screen.page is page:
            screen.page = None
            screen.open_chapter(new)
        screen.call_after_refresh(page.editor.remove)
