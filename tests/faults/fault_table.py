"""The table of what the stages came to, on the terminal and in docs/reliability.md."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fault_stages import in_order
from outcome import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- the table: written by scripts/faults --write -->", "<!-- end of the table -->"
_HEAD = "| stage | trials | failures | mutants caught | seconds | seed | date | on | figures |\n" + "| --- " * 9 + "|"
_MACHINE = re.compile(r"^- \*\*([A-Z])\*\*: (.*)\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """One stage's run. `date` as 2026-11-29."""

    outcome: Outcome
    count: int
    seed: int
    seconds: float
    date: str

    def cells(self, on: str = "") -> list[str]:
        """As they stand in the table; `on` is the machine's letter."""
        o = self.outcome
        if o.skipped:
            figures, caught = f"skipped: {o.skipped}", "-"
        else:
            figures = "; ".join(f"{name}: {value}" for name, value in o.notes.items() if name != "seconds")
            caught = f"{o.mutants_caught} of {o.mutants}"
        numbers = [f"{o.trials:,}", str(len(o.failures)), caught, f"{self.seconds:.0f}", str(self.seed)]
        return [f"`{o.stage}`", *numbers, self.date, on, figures.replace("|", "/").replace("\n", " ")]


def machine() -> str:
    """What the figures belong to."""
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return f"{os.cpu_count()} CPU cores, {system}, {versions}, as {who}"


def verdict(outcome: Outcome) -> str:
    """One word or two."""
    if outcome.skipped:
        return f"SKIPPED, {outcome.skipped}"
    if outcome.passed:
        return "ok"
    return "FAILED" if outcome.failures or not outcome.trials else "FAILED, a mutant was missed"


def on_terminal(rows: Sequence[Row]) -> str:
    """Aligned columns, without the figures."""
    head = ["stage", "trials", "failures", "mutants", "seconds", "seed", ""]
    lines = [head]
    lines += [[r.outcome.stage, *r.cells()[1:6], verdict(r.outcome)] for r in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def write(rows: Sequence[Row], page: Path = PAGE) -> None:
    """Put these rows into the page; rows of other stages stay, with the machine that they come from.

    Raises ValueError if the page has no place for the table.
    """
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        raise ValueError(f"{page} has no place for the table: it needs the lines {BEGIN} and {END}.")
    before, rest = text.split(BEGIN, 1)
    old, after = rest.split(END, 1)
    machines = {what: letter for letter, what in _MACHINE.findall(old)}
    ours = machines.setdefault(machine(), chr(ord("A") + len(machines)))
    named = {match[1]: match[0] for match in re.finditer(r"^\| `([\w-]+)` \|.*$", old, re.MULTILINE)}
    named |= {row.outcome.stage: "| " + " | ".join(row.cells(ours)) + " |" for row in rows}
    where = "\n".join(f"- **{letter}**: {what}." for what, letter in machines.items())
    lines = "\n".join([_HEAD, *(named[name] for name in sorted(named, key=in_order))])
    page.write_text(f"{before}{BEGIN}\n{where}\n\n{lines}\n{END}{after}", encoding="utf-8")
