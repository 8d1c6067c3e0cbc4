"""What the first steps say of a machine on which something is missing, and which models they name."""

from __future__ import annotations

from types import SimpleNamespace

from test_guide import FOUND, Served

from writer.catalogue.ports import Shelf
from writer.catalogue.suggesting import suggest
from writer.catalogue.table import BUILT_IN, read
from writer.catalogue.values import Machine, Suggestion
from writer.doctor.finding import Finding
from writer.engine.base import EngineStatus
from writer.tui.welcome import choosing, steps


def test_what_is_missing_is_said_where_it_would_be_missed() -> None:
    keys = ("Ctrl+G", "F2", "Ctrl+P", "F1")
    bad = Finding("Engine", "bad", "vLLM is not installed.", "Install it.")
    assert "half a minute" in steps.trying("One", None, keys, FOUND)[1]
    assert "Something is missing" in steps.trying("One", None, keys, [bad])[1]
    assert "goes there" in steps.trying("One", None, keys, FOUND, "http://lab:1")[1]
    assert "at once" in steps.trying("One", EngineStatus("ready"), keys, [bad])[1], "another window has one"
    machine = Machine("cpu", "a machine", 26 * 10**9, 20 * 10**9)
    assert choosing.none_here(Shelf(machine, (), ()))
    assert not choosing.none_here(Served().look())
    assert not choosing.none_here(None), "nobody has looked yet"
    assert "not even the small one" in steps.model(none_here=True)[0]


def test_a_server_that_writes_is_in_the_list() -> None:
    shelf = Shelf(Machine("cpu", "a machine", 1, 1), (), (), "http://lab:1")
    shown = dict(choosing.rows(shelf, SimpleNamespace(download=None)))  # type: ignore[arg-type]
    assert str(shown[choosing.in_use(shelf)]) == "The server http://lab:1 · in use"


def test_what_is_bad_stands_first_for_a_low_window_shows_the_beginning() -> None:
    bad = Finding("Engine", "bad", "vLLM is not installed.", "Install it.")
    marks = [line[0] for line in steps.machine([*FOUND, bad])[0].splitlines() if not line.startswith(" ")]
    assert marks == ["✗", "!", "✓"]


def test_what_needs_an_account_or_a_setting_comes_after_what_needs_none() -> None:
    machine = Machine("cpu", "a machine", 26 * 10**9, 20 * 10**9)
    found = tuple(each for each in suggest(read(BUILT_IN), machine) if each.fit.fits)
    assert found[0].model.gated, "the order of the table would begin with it"
    shop = SimpleNamespace(download=None)
    shown = list(choosing.rows(Shelf(machine, (), found), shop))  # type: ignore[arg-type]
    names = [name.removeprefix(choosing.HUB) for name, _ in shown if name.startswith(choosing.HUB)]
    first = [each for each in found if each.variant.hub in names]
    assert len(first) == 3
    assert not any(each.model.gated or each.model.parameters < 0.3 for each in first)
    assert not found_by(names[0], found).fit.room
    assert [row for _, row in shown if "of memory for its text" in str(row)]


def found_by(hub: str, found: tuple[Suggestion, ...]) -> Suggestion:
    return next(each for each in found if each.variant.hub == hub)
