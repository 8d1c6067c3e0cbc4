"""Nothing is half translated: every sentence of the sources is in every catalogue, and every sentence is said."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from bare_sentences import bare

from writer.tui.keys_shown import _NAMED
from writer.tui.prompt.key_rows import KEYS

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import translating  # noqa: E402

CATALOGUES = sorted(translating.LOCALE.glob("*/LC_MESSAGES/writer.po"))
ROOMS = ("tui", "key_names.py", "presets.py")
"""What of writer/ is looked through for sentences that are not said."""
TAGS = frozenset({"arrange {}", "replace {}", "closed {}", "recalled {}", "word {}", "take {}", "go on"}) | set(KEYS)
"""Names that the program gives to what it waits for, which nobody reads, and names of keys, looked for in lines."""


def key(message: object) -> str:
    return message[0] if isinstance(message, tuple) else str(message)


def pairs(file: Path) -> list[tuple[str, str]]:
    """English and translation of each sentence; of a plural the form for several."""
    found = []
    for message in translating.read(file):
        if message.id:
            english = message.id[-1] if isinstance(message.id, tuple) else message.id
            other = message.string[-1] if isinstance(message.string, tuple) else message.string
            found.append((english, other))
    return found


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parent.parent.name)
def test_every_sentence_of_the_sources_is_translated_with_its_fields(file: Path) -> None:
    assert list(translating.faults(file)) == []


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parent.parent.name)
def test_a_translation_names_the_same_keys(file: Path) -> None:
    """As sentences name them, so that keys which the author has changed are found in it."""
    wrong = [(one, other) for one, other in pairs(file) if set(_NAMED.findall(one)) != set(_NAMED.findall(other))]
    assert wrong == []


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parent.parent.name)
def test_a_translation_begins_and_ends_as_the_sentence_does(file: Path) -> None:
    """The letter that a menu is chosen by, and the line ends."""
    edges = re.compile(r"^(\n*(?:[A-Z]  )?).*?(\n*)$", re.DOTALL)
    wrong = [(one, other) for one, other in pairs(file) if edges.match(one).groups() != edges.match(other).groups()]  # type: ignore[union-attr]
    assert wrong == []


def test_chinese_is_punctuated_as_chinese() -> None:
    (file,) = [each for each in CATALOGUES if "zh" in each.parts]
    half = re.compile(r"[\u4e00-\u9fff][,;:?!]|[\u4e00-\u9fff]\.(?!\w)")
    assert [other for _, other in pairs(file) if half.search(other)] == []


def test_no_sentence_reaches_a_user_unsaid() -> None:
    found = []
    for room in ROOMS:
        place = ROOT / "writer" / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            source = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(ROOT)}:{line}: {text}" for line, text in bare(source, TAGS)]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'screen.complain("Nothing is selected.")',
        'Binding("a", "add", "Add")',
        'title = f"Takes of {name}"',
        'told = f"{count} words"',
        'yield "Write on", "At the end", call',
        'say(f"Takes of {name}")',
        'say("Takes of {name}", name="the chapter")',
        'raise WriterError("It is gone. Look again.")',
        'NAMES = {"a": "a draft"}',
        'note = "" if done else "saving…"',
    ],
)
def test_a_planted_sentence_is_seen(source: str) -> None:
    assert bare(source)


@pytest.mark.parametrize(
    "source",
    [
        'screen.complain(say("Nothing is selected."), "information")',
        'Binding("a,shift+up", "leave_for(\'open_outline\')", say("Outline"))',
        'many("{count} word", "{count} words", count)',
        '_log.error("the app failed", exc_info=error)',
        'CSS = "Sheet { height: 1fr; }"',
        '"""What it is for."""',
        'x = 1\n"""What x is for."""',
        'style = "bold reverse"',
        'raise WriterError(say("It is gone."), detail=f"it came from {place}")',
        'path = folder / "writer.toml"',
        'def f(x: "Main Screen") -> "Other Screen": pass',
    ],
)
def test_what_no_user_reads_need_not_be_said(source: str) -> None:
    assert bare(source) == []


def test_a_sentence_that_is_made_at_run_time_is_refused() -> None:
    tree = translating.ast.parse("from writer.language import say as tell\ntell(f'Takes of {name}')")
    with pytest.raises(ValueError, match="names no literal sentence"):
        list(translating.said(tree))


@pytest.mark.parametrize(
    ("sentence", "translation", "fault"),
    [
        ("Saved.", "", "not translated"),
        ("{name} is saved.", "已保存。", "other fields"),
        (("{count} word", "{count} words"), ("一字",), "other fields"),
    ],
)
def test_what_is_missing_is_named(sentence: object, translation: object, fault: str) -> None:
    catalogue = Catalog(locale="zh")
    catalogue.add(sentence, translation)  # type: ignore[arg-type]
    message = catalogue.get(key(sentence))
    assert message is not None
    assert [each.split(":")[0] for each in translating.untranslated(message)] == [fault]


def test_what_is_missing_is_taken_from_another_file_and_what_is_not_said_is_left_out(tmp_path: Path) -> None:
    file, other = tmp_path / "zh" / "LC_MESSAGES" / "writer.po", tmp_path / "mine.po"
    file.parent.mkdir(parents=True)
    head = 'msgid ""\nmsgstr ""\n"Language: zh\\n"\n\n'
    file.write_text(head + 'msgid "Help"\nmsgstr "帮助"\n\nmsgid "Said no more"\nmsgstr "不再说"\n', encoding="utf-8")
    other.write_text(
        head + 'msgid "Help"\nmsgstr "救命"\n\nmsgid "Quit"\nmsgstr "退出"\n\nmsgid "Unsaid"\nmsgstr "没说"\n',
        encoding="utf-8",
    )
    translating.update(file, other)
    translated = {
        message.id: message.string for message in translating.read(file) if message.id and any(message.string)
    }
    assert translated == {"Help": "帮助", "Quit": "退出"}
    assert list(translating.stale(file)) == []
