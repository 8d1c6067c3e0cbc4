"""One import from end to end: the file is looked at, converted in a folder of its own, cut, and made a manuscript.

Nothing is there before the last step, and all of it after. The file itself is only read.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from writer.errors import ExchangeError
from writer.exchange import arriving, pandoc
from writer.exchange.incoming import Incoming, core_facts, receive
from writer.exchange.orders import Imported
from writer.exchange.pictures import MOST_BYTES, kind_of
from writer.exchange.splitting import Cut, cut, has_headings, marked
from writer.exchange.workplace import workplace
from writer.language import say
from writer.manuscript.names import file_title, slug
from writer.text.count import words
from writer.text.sanitise import one_line, visible

WRITES = "commonmark+footnotes+pipe_tables+strikeout-raw_html"
_SPACE = "\ue001"  # stands for a no-break space, which pandoc would spell out
_MEDIA = re.compile(r"\]\(<?(?:\./)?(media/[^)>\n]{1,300}?)>?(?:[ \t]+\"[^\"\n]{0,500}\")?\)")
_LEFT = re.compile(r"!\[((?:[^\[\]\\\n]|\\.){0,2000})\]\(<?(?:\./)?media/[^)\n]{0,900}\)")
_HEAD = re.compile(r"\A---\n(.{0,4000}?)\n(?:---|\.\.\.)\n", re.DOTALL)
_FIELD = re.compile(r"^(title|subtitle|author|lang|rights):[ \t]*(.+)$", re.MULTILINE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_SCRIPTS = (("ja", "\u3041-\u30fa", 0.1), ("ko", "\uac00-\ud7a3", 0.2), ("zh", "\u4e00-\u9fff", 0.2))
_SAMPLE = 20_000  # characters that tell the language


@dataclass(frozen=True, slots=True)
class _Read:
    """A book in Markdown, what the file says of it, its images by their new names, and sentences for the author."""

    text: str
    said: dict[str, str]
    images: dict[str, bytes]
    notes: tuple[str, ...]


def import_book(file: Path, folder: Path | None = None, *, title: str = "", language: str = "") -> Imported:
    """Make a manuscript of the file, in `folder`, or here under the book's name.

    Seconds for a novel. Raises ExchangeError, ManuscriptError.
    """
    came = receive(file)
    if folder is not None:
        arriving.refuse_full(folder)
    read = _converted(came) if came.text == "" or came.kind == "html" else _plain(came)
    done = cut(read.text if has_headings(read.text) else marked(read.text))
    title = one_line(visible(title or read.said.get("title", "") or done.title or file_title(file.name)), 200)
    folder = folder or Path(slug(title) or "book")
    if not done.pieces:
        raise ExchangeError(say("{came} holds no text. Import the file that has the words.", came=came.name))
    language = language or _language(read)
    about = {key: one_line(read.said[key]) for key in ("author", "subtitle", "rights") if read.said.get(key)}
    arriving.settle(folder, title, language, done.pieces, read.images, about)
    notes = tuple(note for note in (came.note, *read.notes, *_remarks(done, came)) if note)
    count = sum(words(piece.text) for piece in done.pieces)
    return Imported(folder, title, len(done.pieces), count, len(read.images), notes)


def _plain(came: Incoming) -> _Read:
    """Markdown and text are what they are; the converter would only change them."""
    if came.kind == "txt":
        return _Read(_clean(came.text), {}, {}, ())
    said = {}
    text = _clean(came.text)
    if head := _HEAD.match(text):
        said = {found[1]: _unquoted(found[2].strip()) for found in _FIELD.finditer(head[1])}
        text = text[head.end() :]
    notes = (
        (say("Images that the text shows are not copied: put them into the folder images."),)
        if "](" in text and "![" in text
        else ()
    )
    return _Read(text, said, {}, notes)


def _converted(came: Incoming) -> _Read:
    with workplace() as folder:
        name = f"book.{came.kind}"
        (folder / name).write_bytes(came.data)
        shutil.copyfile(pandoc.DATA / "import.lua", folder / "import.lua")
        reader = {"docx": "docx+styles", "html": "html-native_spans"}.get(came.kind, came.kind)
        arguments = [f"--from={reader}", f"--to={WRITES}", "--wrap=none", "--reference-location=section"]
        arguments += ["--lua-filter=import.lua", "--extract-media=.", "--output=book.md", name]
        pandoc.run(folder, arguments, reading=came.name)
        said = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        text = (folder / "book.md").read_text(encoding="utf-8").replace(_SPACE, "\u00a0")
        text, images, notes = _with_images(text, folder)
    said = {
        "title": said["title"],
        "subtitle": said["subtitle"],
        "author": said["author"] or said["creator"],
        "lang": said["lang"] or said["language"],
        "rights": said["rights"],
    }
    core = core_facts(came.data) if came.kind == "docx" else {}
    return _Read(_clean(text), {key: value or core.get(key, "") for key, value in said.items()}, images, notes)


def _with_images(text: str, folder: Path) -> tuple[str, dict[str, bytes], tuple[str, ...]]:
    """The text with its images under new names. What is no image of a kind that is known leaves its description."""
    images: dict[str, bytes] = {}
    names: dict[str, str] = {}
    left: set[str] = set()

    def named(found: re.Match[str]) -> str:
        path = found[1]
        if path not in names and path not in left:
            data = _bytes(folder, path)
            if kind := kind_of(data):
                names[path] = f"{len(images) + 1:03d}.{kind}"
                images[names[path]] = data
            else:
                left.add(path)
        return f"](../{arriving.IMAGES}/{names[path]})" if path in names else found[0]

    text = _LEFT.sub(r"\1", _MEDIA.sub(named, text))
    notes = (
        (say("{left} images of other kinds than PNG, JPEG, GIF and WebP are left out.", left=len(left)),)
        if left
        else ()
    )
    return text, images, notes


def _bytes(folder: Path, path: str) -> bytes:
    real = (folder / path).resolve()
    if not real.is_relative_to((folder / "media").resolve()) or not real.is_file() or real.stat().st_size > MOST_BYTES:
        return b""
    return real.read_bytes()


def _clean(text: str) -> str:
    """Without characters that a chapter never has. A form feed parts pages, so it parts paragraphs."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n").replace("\ufeff", "")
    return visible(text.replace("\u200e", "").replace("\u200f", "").replace("\u2028", "\n").replace("\u2029", "\n\n"))


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1].replace('\\"', '"') if value[0] == '"' else value[1:-1]
    return value


def _language(read: _Read) -> str:
    """What the file says; else what its letters look like; English if they are Latin."""
    said = read.said.get("lang", "").replace("_", "-")
    if _LANGUAGE.fullmatch(said):
        return said
    sample = "".join(read.text[:_SAMPLE].split())
    for language, letters, share in _SCRIPTS:
        if sample and len(re.findall(f"[{letters}]", sample)) > share * len(sample):
            return language
    return "en"


def _remarks(done: Cut, came: Incoming) -> tuple[str, ...]:
    notes = []
    if len(done.pieces) == 1 and not done.pieces[0].title:
        notes.append(
            say("{came} has no headings that part it, so it is one chapter. Split it in the app.", came=came.name)
        )
    elif not done.pieces[0].title:
        notes.append(say("What stands before the first heading is a chapter of its own, Beginning."))
    return tuple(notes)
