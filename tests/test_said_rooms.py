"""No room behind the screens tells a user something that is in no catalogue."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from bare_sentences import bare

WRITER = Path(__file__).resolve().parent.parent / "writer"
SCREENS = ("tui/", "key_names.py", "presets.py", "launcher.py", "language.py")
"""Looked through by tests/test_translation.py."""
FOR_OTHERS = frozenset(
    {
        *("generation/prompt.py", "generation/summarising.py", "generation/wording.py"),  # for the model
        *("generation/rewriting_examples.py", "generation/rewriting_remarks.py", "generation/thought.py"),
        *("manuscript/template.py", "exchange/wording.py", "exchange/reference.py"),  # for files, in their language
        *("exchange/fonts.py", "exchange/packages.py", "editing/dictionary.py", "editing/typography.py"),
        *("engine/fault_lines.py", "engine/scripted_words.py", "cli/click_words.py"),  # what others say
        "cli/examples.py",  # commands, the same in every language
    }
)
"""Files whose words are for the model, for a file or another program, or another program's own."""
BEGINNINGS = (
    *(
        "You are the line editor",
        "You are the author of a book. You write",
        "Rewrite the passage",
        "Shorten the passage",
        "Expand the passage",
        "Original:",
    ),
    *("Change the tense", "Change the point", "Revise the passage", "the present tense", "the third person"),
    *("{}Original:", "You are a novelist", "Write the missing", " In it: {}.", " It begins where", " It ends where"),
    *("You help the author", "Continue your last message", "\n\nThe beginning of the chapter", "Write."),
    *("---\ntitle:", "Who:\n", "Where:\n", "What is open:\n", "chapter: {}\n", "Title", "Beginning"),  # in files
    *(
        "\nimport ",
        "import sys;",
        "import json, ",
        "options nvidia NVreg",
        "usage: python -m",
        "writer resume {} --generation {}",
    ),  # for programs
    *("Bearer {}", "Authorization", "vllm {}", "served:{}", "scripted:{}", "model {}", "by text", "unknown op"),
    *("{} /writer/{}", "{}\r\nHost:", "writer_sampler:", "--", "index,uuid", "file:{}", "unix:path"),
    *("Trying to resume", "Rate limited", "Retrying in", "chat template", "Could not decode"),  # of others
    *("Inhibit", "pandoc ended with", "it is empty", "its log"),  # for the log
    *(
        "order {}",
        "{} by {}",
        "Desk",
        "The",
        "with the book",
        "with the chapter",
        "as the text grows",
        "with each request",
        "name:endgeneration",
        "Event",
    ),  # codes
    *("Python", "GPU {}", "{} GB", "{} MB", "{} tok/s", "{} MB/s"),  # the same in every language
    *("blob {}", "Pss:", "MemTotal", "MemAvailable", "Nextcloud", "Dropbox", "Syncthing", "Ceph", "Lustre", "Coda"),
)
"""How literals begin that are said to nobody."""
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|WHERE|PRAGMA|AND|ALTER|CREATE|VALUES)\b|[a-z_0-9, \"{}.()']+")


def unsaid(path: Path) -> list[str]:
    """The literals of a file that a user may see."""
    name = path.relative_to(WRITER).as_posix()
    found = [(line, text) for line, text in bare(path.read_text(encoding="utf-8")) if not text.startswith(BEGINNINGS)]
    if name.startswith("storage/"):
        found = [(line, text) for line, text in found if not (SQL.match(text) and " " in text and text[-1] != ".")]
    return [f"{name}:{line}: {text}" for line, text in found]


def test_what_these_rooms_tell_is_said() -> None:
    files = {path.relative_to(WRITER).as_posix(): path for path in WRITER.rglob("*.py")}
    rooms = [name for name in sorted(files) if not name.startswith((*SCREENS, "engine/plugin/"))]
    assert len(rooms) > 200
    assert [each for name in rooms if name not in FOR_OTHERS for each in unsaid(files[name])] == []


def test_what_is_left_out_is_there() -> None:
    assert [name for name in FOR_OTHERS if not (WRITER / name).is_file()] == []


def parsed(source: str) -> list[str]:
    """Where a sentence decides something by its words, which are others in another language."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            literal = any(isinstance(each, ast.Constant) and each.value for each in sides)
            if literal and any(isinstance(each, ast.Attribute) and each.attr == "sentence" for each in sides):
                found.append(ast.unparse(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            if node.func.attr in (
                "startswith",
                "endswith",
                "find",
                "partition",
                "rpartition",
                "split",
            ) and owner.endswith(".sentence"):
                found.append(ast.unparse(node))
    return found


def test_no_sentence_is_read_by_the_program() -> None:
    assert [each for path in sorted(WRITER.rglob("*.py")) for each in parsed(path.read_text(encoding="utf-8"))] == []
    assert parsed('if "does not answer" in error.sentence or x.sentence.startswith("The"): pass')
