"""The wheel holds all that the program needs, works by itself, and a release is refused while something is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import release  # noqa: E402


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what is committed or would be: git tells the files."""
    return release.build(tmp_path_factory.mktemp("dist"))


def tracked(folder: str) -> Iterator[str]:
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", folder], capture_output=True, text=True, check=True)
    yield from listed.stdout.splitlines()


def test_it_holds_every_file_of_the_program_and_no_more_than_a_man_page(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert {name for name in tracked("writer") if (ROOT / name).exists()} - names == set()
    (manual,) = [name for name in names if not name.startswith("writer/")]
    assert manual.endswith(".data/data/share/man/man1/writer.1")  # pip puts it where `man` looks


def test_the_sdist_is_built_too(wheel: Path) -> None:
    (source,) = wheel.parent.glob("*.tar.gz")
    assert source.stat().st_size < 20_000_000


def test_the_wheel_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    where = [sys.executable, "-c", "import writer; print(writer.__file__)"]
    ran = subprocess.run(where, env=environ, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(tmp_path / "site" / "writer" / "__init__.py")
    (tmp_path / "use").mkdir()
    release.tried(Path(sys.executable), tmp_path / "use", environ)
    for name in ("book.docx", "book.epub", "letter.pdf"):
        assert (tmp_path / "use" / name).stat().st_size > 1000


def test_a_wheel_that_lacks_a_file_is_found(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    (tmp_path / "site" / "writer" / "presets.py").write_text("")
    (tmp_path / "use").mkdir()
    with pytest.raises(release.NotReady):
        release.tried(Path(sys.executable), tmp_path / "use", {**os.environ, "PYTHONPATH": str(tmp_path / "site")})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ("## [Unreleased]\n", "has no section for 1.2.0"),
        ("## [Unreleased]\n\n## [1.2.0]\n", "has no section for 1.2.0"),
        ("## [Unreleased]\n\n### Added\n- x\n\n## [1.2.0] - 2026-11-30\n- y\n", "has changes under [Unreleased]"),
        ("## [Unreleased]\n\n## [1.2.0] - 2026-11-30\n- y\n", ""),
    ],
)
def test_a_changelog_that_does_not_fit_the_version_is_refused(changes: str, said: str) -> None:
    assert (said in release.unready("1.2.0", changes)) if said else (release.unready("1.2.0", changes) == "")
