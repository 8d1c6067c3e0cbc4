"""What the doctor says of folders and disks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from as_user import shared_folder, unprivileged

from writer import locations
from writer.doctor import Finding, places
from writer.manuscript.project import create

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /home/ada rw,nosuid - nfs4 server:/home rw
31 22 0:27 / /mnt/my\\040disk rw - fuse.sshfs host:/x rw
a line that is none
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/home/ada/.local/state", "nfs4"),
        ("/home/adam", "ext4"),
        ("/mnt/my disk/a", "fuse.sshfs"),
    ],
)
def test_the_longest_mount_point_holds_the_folder(folder: str, kind: str) -> None:
    assert places.file_system(Path(folder), MOUNTS) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "fuse", "drvfs"])
def test_far_disks_are_warned_of(kind: str) -> None:
    assert places.kind(kind).state == "warn"


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "xfs", "zfs", "tmpfs", "overlay", "fuseblk", ""])
def test_near_disks_are_fine(kind: str) -> None:
    assert places.kind(kind).state == "ok"


@pytest.mark.parametrize(("free", "state"), [(10**10, "ok"), (5 * 10**8, "warn"), (10**6, "bad")])
def test_room_on_the_disk(free: int, state: str) -> None:
    assert places.room("State folder", free).state == state


def test_folders_are_made_private_and_found_so() -> None:
    found = places.findings()
    assert {(each.subject, each.state) for each in found} >= {("State folder", "ok"), ("Sockets folder", "ok")}
    locations.state_dir("").chmod(0o755)
    assert ("State folder", "warn") in [(each.subject, each.state) for each in places.findings()]


def test_a_folder_that_cannot_be_made_is_bad(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    bad = [each for each in places.findings() if each.state == "bad"]
    assert [each.subject for each in bad] == ["State folder"]
    assert str(tmp_path / "file") in bad[0].sentence
    assert bad[0].next_step


def test_settings_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    file = tmp_path / "no" / "config.toml"
    assert "none of your own yet" in places.settings(file).sentence
    file.parent.mkdir()
    file.write_text("")
    assert places.settings(file) == Finding("Settings", "ok", f"They are in {file}.")
    with shared_folder() as folder:
        shut = folder / "config.toml"
        shut.write_text("")
        shut.chmod(0o400)

        def look() -> None:
            found = places.settings(shut)
            assert (found.state, found.next_step) == ("warn", f"Correct the permissions of {shut}.")

        unprivileged(look)


def test_a_manuscript_that_cannot_be_written_is_bad() -> None:
    with shared_folder() as folder:
        manuscript = create(folder / "novel", title="The Harbour").folder
        assert [found.state for found in places.own(manuscript)] == ["ok", "ok", "ok"]
        chapter = next(manuscript.glob("chapters/*.md"))
        chapter.chmod(0o400)

        def look() -> None:
            (found,) = [each for each in places.own(manuscript) if each.state == "bad"]
            assert found.sentence.startswith(str(manuscript))
            assert found.next_step.startswith("Open it for yourself: chmod")

        unprivileged(look)


def test_nothing_is_left_behind() -> None:
    places.findings()
    assert os.listdir(locations.state_dir("")) == []
