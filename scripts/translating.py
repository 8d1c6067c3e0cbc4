"""The catalogues of writer/locale: every sentence of the sources is in them, translated, and they are compiled.

`scripts/translate` adds new sentences with an empty translation, drops those that the sources no longer say, and
compiles. `--check` changes nothing and says what is missing.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from progress import say

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "writer" / "locale"
HEADERS = ("Plural-Forms", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")
"""What a catalogue says of itself: no dates and no version of a tool, so the same sentences give the same file."""
Key = str | tuple[str, str]
"""A sentence, or the pair for one and for several."""


class Lasting(Catalog):
    """A catalogue whose header only changes with the language."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        whole = dict(super().mime_headers)
        return [("Language", str(self.locale_identifier)), *((name, whole[name]) for name in HEADERS)]


def main(arguments: list[str]) -> int:
    """The exit code: 1 if a sentence lacks its translation, 2 if the arguments are wrong."""
    if arguments not in ([], ["--check"]):
        say("Usage: scripts/translate [--check]. Brings writer/locale in line with the sources, and compiles it.")
        return 2
    wrong = []
    for file in sorted(LOCALE.glob("*/LC_MESSAGES/writer.po")):
        if not arguments:
            update(file)
        wrong += [f"{file.parent.parent.name}: {each}" for each in (*faults(file), *stale(file))]
    for each in wrong:
        say(each)
    say(f"{len(wrong)} to mend." if wrong else "Every sentence is translated.")
    return 1 if wrong else 0


def update(file: Path) -> None:
    """Give the catalogue exactly the sentences of the sources, and compile it."""
    catalogue = read(file)
    said = sentences()
    for message in [each for each in catalogue if each.id]:
        if message.id not in said:
            catalogue.delete(message.id)
    catalogue.obsolete.clear()
    for key, places in said.items():
        known = catalogue.get(key)
        if known is None:
            catalogue.add(key)
            known = catalogue.get(key)
        assert known is not None
        known.locations = [(place, 0) for place in sorted(places)]
        known.flags -= {"python-format"}
    file.write_bytes(written(catalogue))
    file.with_suffix(".mo").write_bytes(compiled(catalogue))


def faults(file: Path) -> Iterator[str]:
    """What keeps the catalogue from being whole."""
    catalogue = read(file)
    said = sentences()
    found = {message.id: message for message in catalogue if message.id}
    yield from (f"not in the catalogue: {key!r}" for key in said if key not in found)
    yield from (f"no longer said: {key!r}" for key in found if key not in said)
    yield from (f"no longer said: {key!r}" for key in catalogue.obsolete)
    for message in found.values():
        if message.fuzzy:
            yield f"not sure: {message.id!r}"
        yield from untranslated(message)


def untranslated(message: Message) -> Iterator[str]:
    """What is missing in the translation of one sentence: words, a field, a space at its end."""
    sources = message.id if isinstance(message.id, tuple) else (message.id,)
    texts = message.string if isinstance(message.string, tuple) else (message.string,)
    wanted = {field for source in sources for field in fields(source)}
    if not all(texts):
        yield f"not translated: {message.id!r}"
    elif any(set(fields(text)) != wanted for text in texts):
        yield f"other fields: {message.id!r}"


def fields(text: str) -> list[str]:
    """The named fields of a sentence."""
    return re.findall(r"\{(\w+)[^{}]*\}", text)


def stale(file: Path) -> Iterator[str]:
    """The compiled catalogue is not that of the text."""
    binary = file.with_suffix(".mo")
    if not binary.exists() or binary.read_bytes() != compiled(read(file)):
        yield f"{binary.name} is not compiled from {file.name}: run scripts/translate"


def read(file: Path) -> Catalog:
    """The catalogue in a .po file."""
    locale = file.parent.parent.name
    with file.open("rb") as source:
        found = read_po(source, locale=locale, abort_invalid=True)
    lasting = Lasting(locale=locale, header_comment=found.header_comment, fuzzy=False)
    for message in found:
        if message.id:
            lasting[message.id] = message
    lasting.obsolete = found.obsolete
    return lasting


def written(catalogue: Catalog) -> bytes:
    """The .po file: in the order of the sources, without line numbers, which would change with every commit."""
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=120, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
    return buffer.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """The .mo file."""
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def sentences(root: Path = ROOT) -> dict[Key, set[str]]:
    """Every sentence that the sources say → the modules that say it."""
    found: dict[Key, set[str]] = {}
    for path in sorted((root / "writer").rglob("*.py")):
        for key in said(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(key, set()).add(str(path.relative_to(root)))
    return found


def said(tree: ast.AST) -> Iterator[Key]:
    """The literals given to `say` and `many`, under whatever name a module imports them. Raises ValueError."""
    names = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "writer.language"
        for alias in node.names
        if alias.name in ("say", "many")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (name := names.get(node.func.id)):
            literals = [each.value for each in node.args if isinstance(each, ast.Constant)]
            texts = [each for each in literals if isinstance(each, str)]
            if len(texts) < (1 if name == "say" else 2):
                raise ValueError(f"line {node.lineno}: {ast.unparse(node)} names no literal sentence")
            yield texts[0] if name == "say" else (texts[0], texts[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
