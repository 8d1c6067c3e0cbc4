"""What becomes of the summaries of chapters that are renamed or joined: steps of a change of chapters. Reads only.

A summary may be in the author's own words, so none goes before all it says stands in another file.
"""

from __future__ import annotations

from dataclasses import dataclass

from writer.language import say
from writer.manuscript.arrangement import Carried, Step, drop, make, write
from writer.manuscript.book import Book
from writer.manuscript.edits import Edit, applied, in_turn
from writer.manuscript.encoding import digest, encode
from writer.manuscript.front_matter import parted
from writer.manuscript.summaries import read_summary, summary_path
from writer.text.sanitise import one_line


@dataclass(frozen=True, slots=True)
class Following:
    """What is to be done, and what of it the author is told."""

    steps: tuple[Step, ...] = ()
    carried: tuple[Carried, ...] = ()
    told: tuple[str, ...] = ()


def renamed_summary(book: Book, path: str, new: str, sha256: str) -> Following:
    """The chapter `path` is called `new`: so is its summary, if it has one. One that was not old stays so.

    `sha256` is of the chapter's bytes with its new title. Raises ManuscriptError.
    """
    old, other = summary_path(path), summary_path(new)
    if not (book.folder / old).is_file() or (book.folder / other).exists():
        return Following()
    found = book.text(old)
    edits = _renaming(found.text, path, new)
    if _is_of(book, path) and (at := found.text.find(book.text(path).sha256)) >= 0:
        edits = in_turn([*edits, (at, len(sha256), sha256)])
    step = make(other, applied(found.text, edits), found)
    return Following((step, drop(old, found)), (Carried(old, other, found.sha256, step.after, edits),))


def joined_summary(book: Book, path: str, gone: str, sha256: str) -> Following:
    """The text of the chapter `gone` stands behind that of `path`: so does its summary.

    `sha256` is of the bytes of the whole. Raises ManuscriptError.
    """
    old, kept = summary_path(gone), summary_path(path)
    if read_summary(book.folder, gone) is None:
        return Following()
    text, title = book.text(old), one_line(book.manuscript.chapter(gone).title, 60)
    facts, more = parted(text.text, old)
    if read_summary(book.folder, path) is not None and not set(facts.values) - {"chapter", "of"}:
        before = book.text(kept)
        edits = _joined(book, path, gone, sha256, more.strip())
        after = applied(before.text, edits)
        carried = Carried(kept, kept, before.sha256, digest(encode(after, before)), edits)
        told = say(
            "The summary of “{title}” stands behind the other one now, in {kept}. Look whether both still fit.",
            title=title,
            kept=kept,
        )
        return Following((write(kept, before, after), drop(old, text)), (carried,), (told,))
    if not (book.folder / kept).exists():
        told = say(
            "The summary of “{title}” is {kept} now. It tells nothing of the text before: look at it.",
            title=title,
            kept=kept,
        )
        return Following((make(kept, _renamed(text.text, gone, path), text), drop(old, text)), told=(told,))
    return Following(
        told=(say("The summary of “{title}” is still in {old}: put it where you want it.", title=title, old=old),)
    )


def _joined(book: Book, path: str, gone: str, sha256: str, more: str) -> tuple[Edit, ...]:
    """Puts `more` behind the summary. It is of the whole chapter if both were of what their chapters hold now."""
    text = book.text(summary_path(path)).text
    end = len(text.rstrip())
    edits = [(end, len(text) - end, f"\n\n{more}\n")]
    now = book.text(path).sha256
    if _is_of(book, path) and _is_of(book, gone) and 0 <= (at := text.find(now)) < end:
        edits.insert(0, (at, len(now), sha256))
    return in_turn(edits)


def _is_of(book: Book, chapter: str) -> bool:
    found = read_summary(book.folder, chapter)
    return found is not None and found.of_sha256 == book.text(chapter).sha256


def _renamed(text: str, old: str, new: str) -> str:
    return applied(text, _renaming(text, old, new))


def _renaming(text: str, old: str, new: str) -> tuple[Edit, ...]:
    line = f"chapter: {old}\n"
    at = text.find(line)
    return ((at, len(line), f"chapter: {new}\n"),) if at >= 0 else ()
