"""Plans of changes of chapters: add, rename, move, split, merge, and what is said of them. Reads, never writes.

Each gives the arrangement that `arranging.arrange` then does. The order of the steps is what keeps every word in a file
at every moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript.arrangement import Arrangement, Carried, Kind, Step, drop, make, name, write
from writer.manuscript.book import SETTINGS, Book
from writer.manuscript.chapter_facts import STATUSES
from writer.manuscript.edits import Edit, applied
from writer.manuscript.encoding import digest, encode
from writer.manuscript.model import ChapterText
from writer.manuscript.names import file_title, heading, heading_line, slug
from writer.manuscript.outline import FILE, entry_for, retitled
from writer.manuscript.settings_file import SettingsText
from writer.manuscript.summary_plans import joined_summary, renamed_summary
from writer.text.sanitise import one_line

_NUMBER = re.compile(r"^[0-9]+[\s._-]*")


def added(book: Book, title: str, *, after: int | None = None, part: str | None = None) -> Arrangement:
    """One more chapter behind the one of that number, 0 at the beginning, None at the end.

    Without `part` it is that of its heading in the outline, else of the chapter before. Raises ManuscriptError.
    """
    title = one_line(title, 200)
    path = book.new_path(title)
    before = book.paths[-1] if after is None and book.paths else book.numbered(after).path if after else ""
    if part is None:
        entry = entry_for(book.outline(), title)
        part = entry.part if entry and entry.part else book.said(before).part if before else ""

    def change(settings: SettingsText) -> None:
        settings.insert(path, after=before)
        if part:
            settings.say(path, part=one_line(part, 200))

    return Arrangement((make(path, f"# {title}\n\n" if title else ""), _settings(book, change)))


def renamed(book: Book, number: int, title: str) -> Arrangement:
    """Another title: in its heading, in the outline, and in the name of its file, which keeps its number.

    Raises ManuscriptError.
    """
    title = one_line(title, 200)
    if not slug(title):
        raise ManuscriptError(say("A title needs a letter or a digit. Give another one."))
    path = book.numbered(number).path
    text = book.text(path)
    new = _renamed_path(book, path, title)
    edits = _titled(text.text, title, PurePosixPath(new).name)
    after = applied(text.text, edits)
    steps: list[Step] = []
    followed: tuple[Carried, ...] = ()
    if new != path:
        steps = [name(path, text, new), _settings(book, lambda settings: settings.rename(path, new))]
        steps += (summary := renamed_summary(book, path, new, digest(encode(after, text)))).steps
        followed = summary.carried
    if edits:
        steps.append(write(new, text, after))
    carried = [Carried(path, new, text.sha256, digest(encode(after, text)), edits), *followed] if steps else []
    if outline := _outlined(book, number, title):
        steps.append(outline[0])
        carried.append(outline[1])
    return Arrangement(_in_order(steps), tuple(carried))


def moved(book: Book, number: int, *, after: int | None = None, part: str | None = None) -> Arrangement:
    """Another place: behind the chapter of that number, 0 at the beginning. `part`: it belongs to that one now.

    Files keep their names, so this is one save of writer.toml. Raises ManuscriptError.
    """
    path = book.numbered(number).path
    before = book.numbered(after).path if after else ""
    if part is None and after is not None and before != path:
        part = _part_at(book, path, before)

    def change(settings: SettingsText) -> None:
        if after is not None and before != path:
            settings.move(path, after=before)
        if part is not None:
            settings.say(path, part=one_line(part, 200))

    return _of_settings(book, change)


def split(book: Book, number: int, offset: int, title: str = "") -> Arrangement:
    """Cut a chapter at this character of its text; the rest becomes the next one. Raises ManuscriptError.

    The new chapter begins with its title as heading, unless the rest has one already and none is given.
    """
    path = book.numbered(number).path
    text = book.text(path)
    first, rest = text.text[:offset].rstrip(), text.text[offset:].lstrip("\n")
    if not 0 < offset < len(text.text) or not first or not rest.strip():
        raise ManuscriptError(say("There is nothing to split off at that place. Choose one within the chapter's text."))
    title = one_line(title, 200) or _leading_title(rest) or f"{book.numbered(number).title} 2"
    second = _with_heading(rest, title)
    new = book.new_path(title)
    kept, first = len(first), first + "\n"
    said = book.said(path)

    def change(settings: SettingsText) -> None:
        settings.insert(new, after=path)
        settings.say(new, part=said.part, status=said.status)

    # The rest is a chapter of its own before it leaves the first one.
    steps = (make(new, second, text), _settings(book, change), write(path, text, first))
    edits = ((kept, len(text.text) - kept, "\n"),)
    return Arrangement(
        steps, (_tail(path, steps[0], text, rest), Carried(path, path, text.sha256, steps[2].after, edits))
    )


def _tail(path: str, made: Step, text: ChapterText, rest: str) -> Carried:
    """Where the rest of the text is in the chapter that is made of it."""
    line = heading_line(rest)
    same = len(rest) - (line[1] if line and line[0] == 0 else 0)
    cut = len(text.text) - same
    edits = ((0, cut, ""), (0, 0, made.text[: len(made.text) - same]))
    return Carried(path, made.path, text.sha256, made.after, edits, beyond=cut)


def merged(book: Book, number: int, other: int) -> Arrangement:
    """Put all of the chapter `other` behind the text of another one; its heading becomes one of second level.

    Its summary goes behind the other one's. Raises ManuscriptError.
    """
    path, gone = book.numbered(number).path, book.numbered(other).path
    if path == gone:
        raise ManuscriptError(say("A chapter cannot be merged with itself. Name two chapters."))
    text, more = book.text(path), book.text(gone)
    head = text.text.rstrip() + "\n\n" if text.text.strip() else ""
    body = more.text.lstrip("\n")
    cut = len(more.text) - len(body)
    lowered = "#" if body.startswith("# ") and head else ""
    whole = head + lowered + body
    sha256 = digest(encode(whole, text))
    statuses = [said for said in (book.said(path).status, book.said(gone).status) if said]

    def change(settings: SettingsText) -> None:
        settings.remove(gone)
        if len(statuses) == 2:
            settings.say(path, status=min(statuses, key=STATUSES.index))

    summary = joined_summary(book, path, gone, sha256)
    steps = (write(path, text, whole), _settings(book, change), drop(gone, more), *summary.steps)
    kept = len(text.text.rstrip()) if head else 0
    carried = (
        Carried(path, path, text.sha256, sha256, ((kept, len(text.text) - kept, ""), (kept, 0, whole[kept:]))),
        Carried(gone, path, more.sha256, sha256, ((0, cut, head + lowered),)),
        *summary.carried,
    )
    return Arrangement(_in_order(steps), carried, summary.told)


def said(book: Book, number: int, **facts: str | int) -> Arrangement:
    """Status, part or goal of a chapter; "" and 0 take it out. Raises ManuscriptError."""
    path = book.numbered(number).path
    if (status := facts.get("status", "")) and status not in STATUSES:
        raise ManuscriptError(say("The status is one of {statuses}. Choose one of them.", statuses=", ".join(STATUSES)))
    return _of_settings(book, lambda settings: settings.say(path, **facts))


def rewritten(book: Book, edits_of: Callable[[str], tuple[Edit, ...]], paths: Iterable[str]) -> Arrangement:
    """What `edits_of` makes of the texts of these chapters, all in one change. Raises ManuscriptError."""
    steps, carried = [], []
    for path in paths:
        text = book.text(path)
        edits = edits_of(text.text)
        step = write(path, text, applied(text.text, edits))
        if step.after != step.before:
            steps.append(step)
            carried.append(Carried(path, path, text.sha256, step.after, edits))
    return Arrangement(tuple(steps), tuple(carried))


def day_goal(book: Book, words: int) -> Arrangement:
    """How many words the author wants to write in a day; 0 for none."""
    return _of_settings(book, lambda settings: settings.say_day_goal(words))


def _in_order(steps: Iterable[Step]) -> tuple[Step, ...]:
    """What is only made first, what is only removed last: every word is in a file after each step."""
    return tuple(sorted(steps, key=lambda step: (step.kind is not Kind.MAKE, step.kind is Kind.DROP)))


def _settings(book: Book, change: Callable[[SettingsText], None]) -> Step:
    settings = SettingsText(book.settings.text)
    settings.complete(book.paths)
    change(settings)
    return write(SETTINGS, book.settings, str(settings))


def _of_settings(book: Book, change: Callable[[SettingsText], None]) -> Arrangement:
    step = _settings(book, change)
    return Arrangement((step,) if step.after != step.before else ())


def _renamed_path(book: Book, path: str, title: str) -> str:
    pure = PurePosixPath(path)
    number = _NUMBER.match(pure.name)
    wanted = f"{number[0] if number else ''}{slug(title)}.md"
    if wanted == pure.name:
        return path
    if pure.parent == PurePosixPath("chapters"):
        return book.free_path(wanted)
    return path  # the author has put it elsewhere; its name is his


def _titled(text: str, title: str, file: str) -> tuple[Edit, ...]:
    """What gives the text this heading; nothing if it has none and its file's name says the same."""
    if line := heading_line(text):
        start, end = line
        return ((start, end - start, f"# {title}"),) if text[start:end] != f"# {title}" else ()
    return () if file_title(file) == title else ((0, 0, f"# {title}\n\n"),)


def _outlined(book: Book, number: int, title: str) -> tuple[Step, Carried] | None:
    """The chapter's heading in the outline gets its new title, if it has one there."""
    old = book.numbered(number).title
    if old == title or not book.outline():
        return None
    others = [chapter.title for chapter in book.manuscript.chapters if chapter.number != number]
    text = book.text(FILE)
    edits = retitled(text.text, old, title, others)
    step = write(FILE, text, applied(text.text, edits))
    return (step, Carried(FILE, FILE, text.sha256, step.after, edits)) if edits else None


def _leading_title(text: str) -> str:
    """The title of a heading that the text begins with; "" if it begins otherwise."""
    line = heading_line(text)
    return heading(text) if line and line[0] == 0 else ""


def _with_heading(text: str, title: str) -> str:
    line = heading_line(text)
    if line and line[0] == 0:
        return f"# {title}{text[line[1] :]}" if heading(text) != title else text
    return f"# {title}\n\n{text}"


def _part_at(book: Book, path: str, before: str) -> str | None:
    """The part between whose chapters it comes to stand; None leaves it in its own, at the border of two."""
    others = [one for one in book.paths if one != path]
    at = others.index(before) + 1 if before else 0
    left = book.said(others[at - 1]).part if at else None
    right = book.said(others[at]).part if at < len(others) else None
    if book.said(path).part in (left, right):
        return None
    return left if left is not None else right
