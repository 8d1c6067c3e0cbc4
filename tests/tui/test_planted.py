"""Nothing that lies in the folder where the author stands is run as code: it may be a stranger's manuscript."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pseudo_terminal import ROOT

from writer.manuscript.project import create


def test_the_launcher_runs_no_code_of_the_working_folder(home: dict[str, str], tmp_path: Path) -> None:
    planted = tmp_path / "writer" / "tui"
    planted.mkdir(parents=True)
    evil = f"open({str(tmp_path / 'ran')!r}, 'w')"
    for place in (tmp_path / "textual.py", tmp_path / "writer" / "__init__.py", planted / "__init__.py"):
        place.write_text(evil)
    (planted / "__main__.py").write_text(evil)
    code = f"import sys; sys.path[0] = {str(ROOT)!r}; from writer import launcher; sys.exit(launcher.run(['nothing']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=home, capture_output=True, text=True)
    assert not (tmp_path / "ran").exists()
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_no_control_code_of_a_name_reaches_the_terminal_before_the_screen_opens(
    home: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "no\x1b[2Jvel\x9b"
    create(folder, title="T")
    with (folder / "writer.toml").open("a") as file:
        file.write('\n[settings.writing]\ntop_k = "\\u001b[2J"')
    command = [sys.executable, "-m", "writer.tui", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=home, capture_output=True, text=True)
    assert done.returncode == 1
    assert not {"\x1b", "\x9b"} & set(done.stderr), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
