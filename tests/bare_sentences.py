"""Finds words in the sources that a user may see and that do not go through `writer.language`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

SILENT = {
    *("getattr", "hasattr", "setattr", "cast", "TypeVar", "compile", "NewType", "query_one", "query", "Enum"),
    *("ValueError", "TypeError", "damaged", "execute", "executescript", "startswith", "get_extra_info", "strftime"),
}
"""Calls whose literals are names, patterns, selectors, requests to the database, or details for the log."""
SILENT_ON = {"_log", "logging", "re", "log"}
"""Whose methods write a log, or take patterns."""
SILENT_FIELDS = {
    "id",
    "classes",
    "group",
    "name",
    "variant",
    "severity",
    "encoding",
    "errors",
    "detail",
    "initial",
    "current",
    "format",
    "restrict",
}
"""Keywords of a call whose value nobody reads."""
SPOKEN = {"say", "many"}
STYLES = re.compile(r"(\$|not |bold|dim|italic|underline|reverse|strike|#)[\w$ -]*")
WORDS = re.compile(
    r"[^\W\d_]{2,}[\s,;:…]+[^\W\d_]|[^\W\d_][\s,;:…]+[^\W\d_]{2,}|[^\W\d_]{2,}[\s,;:]+\{\}|\{\}\s+[^\W\d_]{2,}|[^\W\d_]+…"
)
KEYS = re.compile(r"[a-z0-9+_]+((,|  )[a-z0-9+_]+)+")
CSS = re.compile(r"[\w$#.&>: -]*\{[^{}]*[:;][^{}]*[{}]", re.DOTALL)
ACTION = re.compile(r"\w[\w.]*\(.*\)", re.DOTALL)
FILE = re.compile(r"[\w./~-]*[./][\w.-]+|__\w+__")


def bare(source: str, allowed: frozenset[str] = frozenset()) -> list[tuple[int, str]]:
    """Line and literal of each sentence, half sentence or capitalised word that is not said through the catalogue."""
    tree = ast.parse(source)
    skipped = set(_documentation(tree)) | set(_typing(tree))
    return sorted(_found(tree, skipped, allowed))


def _found(node: ast.AST, skipped: set[ast.AST], allowed: frozenset[str]) -> Iterator[tuple[int, str]]:
    if node in skipped:
        return
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
        if _speaks(text) and text not in allowed:
            yield node.lineno, text
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                yield from _found(each.value, skipped, allowed)
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if _speaks(node.value) and node.value not in allowed:
            yield node.lineno, node.value
        return
    for each in _heard(node):
        yield from _found(each, skipped, allowed)


def _heard(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node in which a literal may reach a user."""
    if not isinstance(node, ast.Call):
        yield from ast.iter_child_nodes(node)
        return
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if name not in SILENT and owner not in SILENT_ON:
        yield from (each for each in node.args if not (name in SPOKEN and isinstance(each, ast.Constant)))
        yield from (each.value for each in node.keywords if name in SPOKEN or each.arg not in SILENT_FIELDS)
    yield node.func


def _speaks(text: str) -> bool:
    """Whether it is more than a name: two words, a word beside a field, or one that begins with a capital letter."""
    if (
        STYLES.fullmatch(text)
        or KEYS.fullmatch(text)
        or CSS.search(text)
        or ACTION.fullmatch(text)
        or FILE.fullmatch(text)
    ):
        return False
    if text.startswith(("%", "http", "\x1b", "#", "[")):
        return False
    return bool(WORDS.search(text) or re.fullmatch(r"\W*[A-Z][a-z]+[\W\d]*", text))


def _documentation(tree: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, and the lines that follow a constant or a field."""
    for node in ast.walk(tree):
        for each in getattr(node, "body", []) if isinstance(getattr(node, "body", None), list) else []:
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                yield each.value


def _typing(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "__all__" for each in node.targets):
            yield node.value
        for part in ("annotation", "returns"):
            if (each := getattr(node, part, None)) is not None:
                yield each
