"""`writer chapters`: list them, add, rename, move, split, merge, and say what is known of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from writer import locations
from writer.cli.opened import with_desk
from writer.cli.output import emit, tell
from writer.errors import ChapterUnreadable, ManuscriptError, WriterError
from writer.language import say
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book, read_book
from writer.manuscript.chapter_facts import STATUSES, day_goal
from writer.manuscript.model import Chapter
from writer.manuscript.word_history import WordHistory, today
from writer.text.count import words
from writer.text.sanitise import one_line, visible

if TYPE_CHECKING:
    from writer.runtime.desk import Desk
    from writer.runtime.events import DeskOpened, Event
    from writer.runtime.headless import Headless

FOLDER = click.Path(path_type=Path)
_SHOWN_DAYS = 14


@click.group(help=say("The chapters of a manuscript: order, parts, status, words."))
def chapters() -> None:
    pass


@chapters.command("list", help=say("Number, status, words and title of each, under its part."))
@click.argument("folder", type=FOLDER)
@click.option("--days", is_flag=True, help=say("Words written on each day instead."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def list_chapters(folder: Path, days: bool, as_json: bool) -> None:
    book = read_book(folder)
    history = WordHistory(locations.state_dir(book.manuscript.id))
    if days:
        _show_days(history.days(), day_goal(book.folder), as_json)
        return
    rows = [_row(book, chapter) for chapter in book.manuscript.chapters]
    written = history.days().get(today(), 0)
    if as_json:
        emit({"chapters": rows, "words": sum(row["words"] for row in rows), "today": written})
        return
    part = ""
    for row in rows:
        if row["part"] != part:
            part = row["part"]
            tell(part or say("(no part)"))
        goal = say(" of {goal:,}", goal=row["goal"]) if row["goal"] else ""
        show(
            say(
                "{number:>3}. {status:<8}{words:>9,}{goal} words  {title}",
                number=row["number"],
                status=row["status"] or "-",
                words=row["words"],
                goal=goal,
                title=row["title"],
            )
        )
    tell(
        say(
            "{words:,} words in all, {written:,} today{goal}.",
            words=sum(row["words"] for row in rows),
            written=written,
            goal=_of_goal(day_goal(book.folder)),
        )
    )


@chapters.command(help=say("Add a chapter, at the end if nothing is said."))
@click.argument("folder", type=FOLDER)
@click.argument("title")
@click.option("--after", type=click.IntRange(0), default=None, help=say("Behind that chapter; 0 is the beginning."))
@click.option("--part", default=None, help=say("The part that it belongs to."))
def add(folder: Path, title: str, after: int | None, part: str | None) -> None:
    _arrange(folder, lambda book: plans.added(book, title, after=after, part=part))


@chapters.command(help=say("Give a chapter another title: in its heading and in its file's name."))
@click.argument("folder", type=FOLDER)
@click.argument("number", type=int)
@click.argument("title")
def rename(folder: Path, number: int, title: str) -> None:
    _arrange(folder, lambda book: plans.renamed(book, number, title))


@chapters.command(help=say("Move a chapter to another place, or into another part."))
@click.argument("folder", type=FOLDER)
@click.argument("number", type=int)
@click.option("--after", type=click.IntRange(0), default=None, help=say("Behind that chapter; 0 is the beginning."))
@click.option("--part", default=None, help=say("The part that it belongs to now."))
def move(folder: Path, number: int, after: int | None, part: str | None) -> None:
    if after is None and part is None:
        raise click.UsageError(say("Say where to: --after N, --part TITLE, or both."))
    _arrange(folder, lambda book: plans.moved(book, number, after=after, part=part))


@chapters.command(help=say("Cut a chapter in two; the rest becomes the next one."))
@click.argument("folder", type=FOLDER)
@click.argument("number", type=int)
@click.option("--before", default="", help=say("The words that the new chapter begins with."))
@click.option("--line", type=click.IntRange(1), default=None, help=say("Or its first line, from 1."))
@click.option("--title", default="", help=say("Title of the new chapter."))
def split(folder: Path, number: int, before: str, line: int | None, title: str) -> None:
    if bool(before) == bool(line):
        raise click.UsageError(say("Say where: --before WORDS, or --line N."))

    def plan(book: Book) -> Arrangement:
        text = book.text(book.numbered(number).path).text
        offset = _of_line(text, line) if line else _of_words(text, before)
        return plans.split(book, number, offset, title)

    _arrange(folder, plan)


@chapters.command(help=say("Put all of the chapter OTHER behind the text of the chapter NUMBER."))
@click.argument("folder", type=FOLDER)
@click.argument("number", type=int)
@click.argument("other", type=int)
def merge(folder: Path, number: int, other: int) -> None:
    _arrange(folder, lambda book: plans.merged(book, number, other))


@chapters.command(help=say("Say how far a chapter is."))
@click.argument("folder", type=FOLDER)
@click.argument("number", type=int)
@click.argument("status", type=click.Choice([*STATUSES, "none"]))
def status(folder: Path, number: int, status: str) -> None:
    _arrange(folder, lambda book: plans.said(book, number, status="" if status == "none" else status))


@chapters.command(help=say("Set how many words a day, or a chapter, is to have; 0 takes it back."))
@click.argument("folder", type=FOLDER)
@click.argument("words", type=click.IntRange(0, 10_000_000))
@click.option("--chapter", "number", type=int, default=None, help=say("Words of that chapter; else words of a day."))
def goal(folder: Path, words: int, number: int | None) -> None:
    _arrange(
        folder, lambda book: plans.day_goal(book, words) if number is None else plans.said(book, number, goal=words)
    )


def _arrange(folder: Path, plan: Callable[[Book], Arrangement]) -> None:
    arrange(folder, plan)
    for number, chapter in enumerate(read_book(folder).manuscript.chapters, start=1):
        show(f"{number:>3}. {chapter.title}")


def arrange(folder: Path, plan: Callable[[Book], Arrangement]) -> None:
    """Do it at a desk of its own, which holds the manuscript's lock. Raises WriterError."""
    from writer.runtime.events import ArrangeRefused, ChaptersArranged
    from writer.runtime.orders import ArrangeOrder

    refused: list[str] = []

    def heard(event: Event) -> None:
        if isinstance(event, ArrangeRefused):
            refused.append(event.sentence)
        elif isinstance(event, ChaptersArranged) and event.sentence:
            tell(event.sentence, error=True)

    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> None:
        await desk.arranging.arrange(ArrangeOrder("", plan))

    asyncio.run(with_desk(folder, heard, work))
    if refused:
        raise WriterError(refused[0])


def show(line: str) -> None:
    """One line of a list, whose spaces stay."""
    click.echo(visible(line).replace("\n", " "))


def _row(book: Book, chapter: Chapter) -> dict[str, Any]:
    said = book.said(chapter.path)
    try:
        count = words(book.text(chapter.path).text)
    except ChapterUnreadable:
        count = 0
    facts = {"part": said.part, "status": said.status, "goal": said.goal, "words": count}
    return {"number": chapter.number, "title": chapter.title, "path": chapter.path, **facts}


def _show_days(days: dict[str, int], goal: int, as_json: bool) -> None:
    if as_json:
        emit({"days": days, "goal": goal})
        return
    most = max([goal, *days.values(), 1])
    for day, count in list(days.items())[-_SHOWN_DAYS:]:
        show(f"{day}  {count:>7,}  {'#' * round(40 * max(0, count) / most)}")
    tell(
        say("{words:,} words today{goal}.", words=days.get(today(), 0), goal=_of_goal(goal))
        if days
        else say("No words were counted yet.")
    )


def _of_goal(goal: int) -> str:
    return say(" of {goal:,}", goal=goal) if goal else ""


def _of_words(text: str, wanted: str) -> int:
    count = text.count(wanted)
    if count != 1:
        shown = one_line(wanted, 60)
        why = (
            say('"{shown}" is not in that chapter.', shown=shown)
            if not count
            else say('"{shown}" is there {count} times.', shown=shown, count=count)
        )
        raise ManuscriptError(
            say("{why} Give the words that the new chapter begins with, as they stand there.", why=why)
        )
    return text.index(wanted)


def _of_line(text: str, line: int) -> int:
    lines = text.split("\n")
    if line > len(lines):
        raise ManuscriptError(say("That chapter has {lines} lines. Choose one of them.", lines=len(lines)))
    return sum(len(one) + 1 for one in lines[: line - 1])
