"""`scripts/faults`: runs the stages of fault injection and tells what they came to. Exit code 1 if anything failed."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [
    str(HERE),
    str(HERE.parent),
    *(str(room) for room in sorted(HERE.parent.iterdir()) if room.is_dir() and room != HERE),
    str(HERE.parents[1]),
]

import fault_stages as stages  # noqa: E402
import fault_table as table  # noqa: E402
from outcome import Outcome  # noqa: E402

_LIMIT = 1800.0  # seconds that a stage may take with its full count; a soak multiplies them too


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        chosen = [stages.named(name) for name in options.stage] or stages.every()
    except LookupError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if options.json:
        return _one(chosen[0], options)
    return _table(chosen, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/faults", description="Injects faults and counts what is lost.")
    parser.add_argument("--stage", metavar="NAME", action="append", default=[], help="only this stage (repeatable)")
    parser.add_argument("--count", metavar="N", type=int, help="trials per stage, instead of the full count")
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="the same seed makes the same trials")
    parser.add_argument("--soak", metavar="X", type=int, nargs="?", const=10, default=1, help="X times the count (10)")
    parser.add_argument("--short", action="store_true", help="the counts of the test suite")
    parser.add_argument("--json", action="store_true", help="one stage, in this process; its last line is one object")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reliability.md")
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    return parser


def _count(stage: stages.Stage, options: argparse.Namespace) -> int:
    given = options.count if options.count is not None else stage.short if options.short else stage.full
    return max(1, given) * max(1, options.soak)


def _one(stage: stages.Stage, options: argparse.Namespace) -> int:
    outcome = stages.run_here(stage, _count(stage, options), options.seed)
    if options.report:
        stages.write_report(outcome, options.report)
    _tell(outcome)
    facts: dict[str, object] = {"stage": outcome.stage, "trials": outcome.trials, "failures": len(outcome.failures)}
    facts |= {"mutants": outcome.mutants, "mutants_caught": outcome.mutants_caught}
    _say(json.dumps(facts | ({"skipped": outcome.skipped} if outcome.skipped else {})))
    return 0 if outcome.passed or outcome.skipped else 1


def _table(chosen: list[stages.Stage], options: argparse.Namespace) -> int:
    rows = []
    for stage in chosen:
        count = _count(stage, options)
        _say(f"{stage.name}: {count:,} …")
        began = time.monotonic()
        outcome = stages.run_apart(stage, count, options.seed, _LIMIT * max(1, options.soak))
        rows.append(table.Row(outcome, count, options.seed, time.monotonic() - began, f"{datetime.date.today()}"))
        _tell(outcome)
        if not outcome.passed and not outcome.skipped:
            _say(f"  again: {' '.join(stages.command(stage.name, count, options.seed))}")
    _say(f"\n{table.on_terminal(rows)}\n\n{table.machine()}")
    if options.write:
        try:
            table.write(rows)
        except ValueError as error:
            sys.stderr.write(f"Nothing was written. {error}\n")
            return 1
    return 0 if all(row.outcome.passed or row.outcome.skipped for row in rows) else 1


def _tell(outcome: Outcome) -> None:
    for failure in outcome.failures[:20]:
        _say(f"  FAILED {failure}")
    if len(outcome.failures) > 20:
        _say(f"  … and {len(outcome.failures) - 20} more")
    for name, value in outcome.notes.items():
        _say(f"  {name}: {value}")
    _say(f"  {table.verdict(outcome)}")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
