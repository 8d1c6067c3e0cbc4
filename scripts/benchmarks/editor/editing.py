"""P6 and P14: edits of the author at the top of a long text, and of a long generated passage."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks import texts
from benchmarks.editor.streaming import LONG_BATCH, begin, milliseconds
from benchmarks.stage import Stage, perform
from benchmarks.targets import Plan, Reading
from benchmarks.turns import Side, costs

ENTER, BACKSPACE, DELETE = ("enter", "\r"), ("backspace", "\x7f"), ("delete", None)
PATIENT_STEPS = 100
PASSAGE = 100_000
"""Characters of a long passage."""


def at_the_top(plan: Plan) -> list[Reading]:
    """P6."""
    readings = []
    for kind, make in texts.KINDS.items():
        text = make(plan.big)
        pages = {"small": text[: plan.small], "big": text}
        cost = perform(partial(_edits, plan=plan), pages)
        for edit in ("enter", "join", "delete a paragraph"):
            small, big = cost[f"small {edit}"], cost[f"big {edit}"]
            what = f"{edit} at the top, {kind}, long : short document"
            readings.append(Reading(what, big / small, 1.5, absolute=milliseconds(long=big, short=small)))
    return readings


async def _edits(stage: Stage, plan: Plan) -> dict[str, float]:
    sides = {}
    for page, editor in stage.pages.items():
        end = editor.text.index("\n")
        sides[f"{page} enter"] = _typed(stage, page, end // 2, ENTER, BACKSPACE)
        sides[f"{page} join"] = _typed(stage, page, end + 1, BACKSPACE, ENTER)
        sides[f"{page} delete a paragraph"] = _deleted(stage, page, end + 1)
    return await costs(stage, plan, sides)


def _typed(stage: Stage, page: str, at: int, key: tuple[str, str | None], undone: tuple[str, str | None]) -> Side:
    return Side(page, lambda: stage.key(*key), lambda editor: editor.move_to(at), lambda: stage.key(*undone))


def _deleted(stage: Stage, page: str, end: int) -> Side:
    editor = stage.pages[page]

    def select(editor: Any) -> None:
        editor.sheet.select(0, end)
        editor.refresh()

    def restore() -> None:
        editor.undo()
        select(editor)

    def before(editor: Any) -> None:
        editor.move_to(0)
        select(editor)

    return Side(page, lambda: stage.key(*DELETE), before, restore)


def of_a_long_passage(plan: Plan) -> list[Reading]:
    """P14."""
    cost, steps = perform(partial(_passage, plan=plan), {"page": texts.novel(plan.big)})
    key = cost["key"]
    return [
        *(
            Reading(
                f"{name} {PASSAGE:,} generated characters : a key",
                cost[name] / key,
                10,
                absolute=milliseconds(**{name: cost[name], "key": key}),
            )
            for name in ("undo", "redo")
        ),
        Reading("steps to undo them", steps, 1, ""),
    ]


async def _passage(stage: Stage, plan: Plan) -> tuple[dict[str, float], int]:
    editor = stage.pages["page"]
    editor.move_to(editor.length)
    before = editor.length
    begin(stage, "page")
    stream = texts.batches("novel", LONG_BATCH)
    while editor.length < before + PASSAGE:
        editor.append_generated(next(stream))
    editor.end_generated()
    whole, steps = editor.length, 0
    while editor.length > before and steps < PATIENT_STEPS:
        editor.undo()
        steps += 1
    for _ in range(steps):
        editor.redo()
    assert editor.length == whole
    end = before - 5
    sides = {
        "key": Side("page", lambda: stage.key("x", "x"), lambda editor: editor.move_to(end), editor.undo),
        "undo": Side("page", editor.undo, lambda editor: editor.move_to(end), editor.redo),
        "redo": Side(
            "page", editor.redo, lambda editor: (editor.move_to(end), editor.undo()), editor.undo, editor.redo
        ),
    }
    return await costs(stage, plan, sides), steps
