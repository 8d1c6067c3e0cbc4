"""`scripts/bench NAME`: runs one bench, prints its table, and exits 0 if every goal is met, 1 otherwise."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TextIO

from benchmarks.record import keep
from benchmarks.targets import QUICK, Measure, Plan, Target, as_json, run, table

BENCHES = (
    "editor",
    "durability",
    "planning",
    "takes",
    "stream",
    "batch",
    "memory",
    "resume",
    "relaunch",
    "startup",
    "exactness",
    "peers",
    "export",
    "freeing",
    "spread",
)


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    options = _parser().parse_args(arguments)
    # The terminal of an app under test is always the same one. Textual reads this when it is imported.
    os.environ |= {"TERM": "xterm-256color", "TEXTUAL_COLOR_SYSTEM": "truecolor", "TEXTUAL_ANIMATIONS": "none"}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that an engine is ended first
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in _named(options.bench)}
    if options.widget:
        importlib.import_module("benchmarks.stage").EDITOR["class"] = options.widget
    targets = _selected(
        {id_: each for module in modules.values() for id_, each in module.TARGETS.items()}, options.only
    )
    done: list[Target] = []
    with _one_engine(modules, _plan(options)):
        for name, module in modules.items():
            plan = replace(_plan(options), once=getattr(module, "ONCE", False))
            asked = {id_: targets[id_] for id_ in module.TARGETS if id_ in targets}
            found = run(asked, plan, lambda line: _say(sys.stderr, line))
            if options.out:
                keep(options.out, name, found, arguments)
            done += found
    _say(sys.stdout, table(done))
    if options.json:
        _say(sys.stdout, as_json(done))
    return 0 if all(target.met for target in done) else 1


def _say(stream: TextIO, line: str) -> None:
    stream.write(line + "\n")
    stream.flush()


def _named(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in BENCHES]:
        raise SystemExit(f"No bench {', '.join(unknown)}. There are: {', '.join(BENCHES)}")
    return names


def _one_engine(modules: Mapping[str, ModuleType], plan: Plan) -> AbstractContextManager[object]:
    """Several benches with an engine have the same one, which is started once."""
    if sum(getattr(module, "ONCE", False) for module in modules.values()) < 2:
        return nullcontext()
    shared: AbstractContextManager[object] = importlib.import_module("benchmarks.ground").shared(plan)
    return shared


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures what must stay fast, as ratios.")
    parser.add_argument("bench", metavar="BENCH[,BENCH]", help=", ".join(BENCHES))
    parser.add_argument("--only", default="", metavar="P1,P3", help="these targets only")
    parser.add_argument("--json", action="store_true", help="one line of JSON at the end")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="a file BENCH.json there for each bench")
    parser.add_argument(
        "--quick", action="store_true", help="short texts, few repeats: shows only that the bench works"
    )
    engine = parser.add_argument_group("benches with an engine")
    engine.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of [engine]")
    engine.add_argument("--pairs", type=int, help="measurements, each with its baseline")
    engine.add_argument("--tokens", type=int, help="tokens written in one measurement")
    engine.add_argument("--lengths", metavar="N,N", help="tokens of the prompts that are read")
    engine.add_argument("--cuts", type=int, help="exactness: cut points for each way of drawing words")
    engine.add_argument(
        "--variant", action="append", default=[], metavar="NAME:KEY=VALUE,…", help="exactness: another engine"
    )
    parser.add_argument("--widget", default="", metavar="MODULE:CLASS", help="another widget in the editor's place")
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    asked = {name: getattr(options, name) for name in ("pairs", "tokens", "cuts") if getattr(options, name) is not None}
    if options.lengths:
        asked["lengths"] = tuple(int(each) for each in options.lengths.split(","))
    plan = QUICK if options.quick else Plan()
    return replace(plan, settings=tuple(options.set), variants=tuple(options.variant), **asked)


def _selected(targets: Mapping[str, Measure], only: str) -> dict[str, Measure]:
    wanted = [each.strip().upper() for each in only.split(",") if each.strip()] or list(targets)
    unknown = [each for each in wanted if each not in targets]
    if unknown:
        raise SystemExit(f"No target {', '.join(unknown)}. There are: {', '.join(targets)}")
    return {each: targets[each] for each in wanted}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
