"""The architecture as rules: who may import whom, one door per dependency, sizes, names, what lies at the top.

Every rule is a function of a source tree that returns its violations; the same functions are proved on
planted ones. docs/architecture.md tells the reasons.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BASE = {
    "text",
    "config",
    "config_limits",
    "config_places",
    "config_sections",
    "config_origins",
    "presets",
    "key_names",
    "errors",
    "installation",
    "language",
    "locations",
    "logs",
    "process",
    "__init__",
}
VALUES = BASE | {"generation", "manuscript", "catalogue"}
MAY_IMPORT: dict[str, set[str]] = {
    **dict.fromkeys(BASE - {"__init__"}, BASE),
    "launcher": {"language"},  # for one sentence
    "editing": BASE | {"editing"},
    "catalogue": BASE | {"catalogue"},
    "generation": BASE | {"generation", "manuscript"},
    "manuscript": BASE | {"manuscript"},
    "engine": VALUES | {"engine"},
    "storage": VALUES | {"storage"},
    "exchange": BASE | {"exchange", "manuscript"},
    "runtime": VALUES | {"runtime", "storage", "engine.base", "editing.hunks"},
    "tui": VALUES | {"tui", "editing", "exchange", "runtime", "engine.base"},
}
"""Room → what it may import of writer. Rooms that are not named here stand at the top and may import all."""
DOORS = {
    "vllm": "engine",
    "torch": "engine",
    "transformers": "engine",
    "numpy": "engine",
    "gguf": "engine",
    "httpx": "engine",
    "tokenizers": "engine",
    "jinja2": "engine",
    "huggingface_hub": "engine",
    "keyring": "engine",
    "sqlite_utils": "storage",
    "textual": "tui",
    "wcwidth": "editing",
    "regex": "editing manuscript",  # the keys of a stranger's notes need a search that can be stopped
    "spellchecker": "editing",
    "rapidfuzz": "editing",
    "charset_normalizer": "manuscript",
    "merge3": "manuscript",
    "pypdf": "manuscript",
    "docx": "manuscript exchange",  # one reads sources, the other makes the styles of an export
    "pypandoc": "exchange",
    "typst": "exchange",
    "dbus_fast": "runtime",
    "watchfiles": "manuscript",
    "platformdirs": "locations",
}
TOP_LEVEL = {"writer", "tests", "scripts", "docs", "assets", "README.md", "pyproject.toml", ".ci", ".gitignore"}
LONGEST_FILE, LONGEST_FUNCTION = 300, 50
BOUNDARIES = {
    "writer/cli/main.py",
    "writer/runtime/thread.py",
    "writer/engine/convert.py",
    "writer/engine/hub.py",
    "writer/engine/preparation.py",
    "writer/tui/keeping.py",
}
"""Where a process, a thread or the app ends and anything may have gone wrong. Nowhere else is everything swallowed."""
BANNED_IN_NAMES = ("Manager", "Helper", "Utils", "Service")
parsed = cache(ast.parse)  # all rules look at the same files


def modules(root: Path, *folders: str) -> Iterator[tuple[Path, ast.Module]]:
    """Every Python file below the folders, relative to the root, with its syntax tree."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield path.relative_to(root), parsed(path.read_text(encoding="utf-8"))


def imported(module: Path, tree: ast.Module) -> Iterator[str]:
    """Dotted names a module imports, inside functions and for type checkers too."""
    package = module.parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            name = ".".join([*base, node.module] if node.module else base)
            yield from (f"{name}.{alias.name}" for alias in node.names)


def room(module: Path) -> str:
    """ "engine" for writer/engine/client.py, "config" for writer/config.py."""
    return module.parts[1] if len(module.parts) > 2 else module.stem


def layering(root: Path) -> list[str]:
    """Imports that point up or sideways."""
    found = []
    for module, tree in modules(root, "writer"):
        allowed = MAY_IMPORT.get(room(module))
        if allowed is None or module.stem == "__main__":  # a process begins there, so it stands at the top
            continue
        for name in imported(module, tree):
            first, *inner = name.split(".")
            if first != "writer" or inner in ([], ["__version__"]):
                continue
            if not allowed & {inner[0], ".".join(inner[:2])}:
                found.append(f"{module} imports {name}")
    return found


def doors(root: Path) -> list[str]:
    """Dependencies imported outside the one room that owns them, or the two."""
    return [
        f"{module} imports {name}"
        for module, tree in modules(root, "writer")
        for name in imported(module, tree)
        if (owners := DOORS.get(name.split(".")[0])) and room(module) not in owners.split()
    ]


def foreign_in_launcher(root: Path) -> list[str]:
    """The launcher outlives everything, so it imports nothing of writer but the language."""
    return [
        name
        for module, tree in modules(root, "writer")
        if room(module) == "launcher"
        for name in imported(module, tree)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("writer.language.")
    ]


def long_files(root: Path) -> list[str]:
    """Files that are longer than a reader's patience."""
    return [
        f"{path.relative_to(root)} has {lines} lines"
        for folder in ("writer", "tests", "scripts")
        for path in sorted((root / folder).rglob("*.py"))
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    ]


def long_functions(root: Path) -> list[str]:
    return [
        f"{module}:{node.lineno} {node.name} has {lines} lines"
        for module, tree in modules(root, "writer")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]


def undocumented(root: Path) -> list[str]:
    return [str(module) for module, tree in modules(root, "writer", "scripts") if not ast.get_docstring(tree)]


def vague_names(root: Path) -> list[str]:
    return [
        f"{module}: {node.name}"
        for module, tree in modules(root, "writer")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(word in node.name for word in BANNED_IN_NAMES)
    ]


def broad_excepts(root: Path) -> list[str]:
    """Places that swallow anything and are no boundary. To clean up and raise again, or to translate, is fine."""
    return [
        f"{module}:{node.lineno}"
        for module, tree in modules(root, "writer")
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and _names_all(node.type)
        and not isinstance(node.body[-1], ast.Raise)
        and str(module) not in BOUNDARIES
    ]


def _names_all(caught: ast.expr | None) -> bool:
    names = [ast.unparse(name) for name in (caught.elts if isinstance(caught, ast.Tuple) else [caught]) if name]
    return not names or bool({"Exception", "BaseException"} & set(names))


def strangers_at_the_top(entries: list[str]) -> list[str]:
    return sorted({entry.split("/")[0] for entry in entries} - TOP_LEVEL)


RULES = [layering, doors, foreign_in_launcher, long_files, long_functions, undocumented, vague_names, broad_excepts]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_tree_follows_the_rule(rule) -> None:
    assert rule(ROOT) == []


PLANTED = [
    (layering, "writer/engine/a.py", "from writer.storage import b"),
    (layering, "writer/storage/a.py", "def f():\n    import writer.engine.base"),
    (layering, "writer/generation/a.py", "from ..runtime import b"),
    (layering, "writer/runtime/a.py", "from writer.engine.client import b"),
    (layering, "writer/tui/a.py", "from writer.storage.database import b"),
    (layering, "writer/text/a.py", "from writer.generation.model import b"),
    (layering, "writer/config.py", "from writer import cli"),
    (doors, "writer/tui/a.py", "import torch"),
    (doors, "writer/runtime/a.py", "from textual.app import App"),
    (doors, "writer/cli.py", "import sqlite_utils.db"),
    (foreign_in_launcher, "writer/launcher.py", "import click"),
    (foreign_in_launcher, "writer/launcher.py", "from writer import errors"),
    (long_files, "tests/test_a.py", "x = 1\n" * 301),
    (long_functions, "writer/a.py", "def f():\n" + "    x = 1\n" * 50),
    (undocumented, "writer/a.py", "x = 1"),
    (vague_names, "writer/a.py", "class EngineManager: pass"),
    (broad_excepts, "writer/a.py", "try: pass\nexcept Exception: pass"),
    (broad_excepts, "writer/a.py", "try: pass\nexcept (OSError, BaseException): pass"),
    (broad_excepts, "writer/a.py", "try: pass\nexcept: pass"),
]


@pytest.mark.parametrize(("rule", "path", "source"), PLANTED)
def test_the_rule_sees_a_planted_violation(rule, path: str, source: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    assert rule(tmp_path) != []


ALLOWED = [
    (layering, "writer/tui/a.py", "from writer.runtime.events import b\nfrom writer.engine.base import c"),
    (layering, "writer/cli.py", "from writer.storage import b\nfrom writer.engine import c"),
    (doors, "writer/engine/plugin/a.py", "import torch"),
    (long_functions, "writer/a.py", "def f():\n" + "    x = 1\n" * 49),
    (layering, "writer/tui/__main__.py", "from writer.bootstrap import b"),
    (broad_excepts, "writer/cli/main.py", "try: pass\nexcept Exception: pass"),
    (broad_excepts, "writer/a.py", "try: pass\nexcept BaseException:\n    x = 1\n    raise"),
]


@pytest.mark.parametrize(("rule", "path", "source"), ALLOWED)
def test_the_rule_lets_what_is_right_pass(rule, path: str, source: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(source)
    assert rule(tmp_path) == []


def test_no_two_modules_of_tests_have_one_name() -> None:
    """They are not in packages, so Python would take one for the other."""
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert [name for name in set(names) if names.count(name) > 1] == []


def test_only_known_entries_lie_at_the_top() -> None:
    listing = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    entries = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "writer/__init__.py" in entries
    assert strangers_at_the_top(entries) == []
    assert strangers_at_the_top([*entries, "notes.txt", "lib/a.py"]) == ["lib", "notes.txt"]


def test_the_screens_process_holds_no_model_library() -> None:
    heavy = "import sys, writer.tui.app; print({'torch', 'vllm', 'transformers', 'numpy'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", heavy], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (0, "set()\n"), answer.stderr
