"""A disk of our own whose power can be cut: an ext4 in a file, mounted by a loop device, ended by forced shutdown.

What a killed run has left behind is found by the name of its image file, and taken away before a new one begins.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path
from types import TracebackType

from writer import process

_SHUTDOWN = (2 << 30) | (4 << 16) | (ord("X") << 8) | 125  # EXT4_IOC_SHUTDOWN, _IOR('X', 125, __u32)
LOG_FLUSHED, NOTHING_FLUSHED = 1, 2
"""What the cut leaves: the metadata that the kernel had in hand but not the data; or only what had been synced."""
_PREFIX = "writer-power-"
_IMAGE = re.compile(rf"{_PREFIX}(\d+)-(\d+)\.img")
_SIZE = 24 << 20
_ROOMY = Path("/dev/shm")  # the image itself needs to outlive nothing
_MNT_DETACH = 2


class Disk:
    """Made empty and mounted; `folder` is where. Leaving the block unmounts it, whatever state it is in."""

    def __init__(self, scratch: Path) -> None:
        name = f"{_PREFIX}{os.getpid()}-{process.start_ticks(os.getpid())}"
        place = _ROOMY if os.access(_ROOMY, os.W_OK) else scratch
        self.image = place / f"{name}.img"
        self.folder = scratch / name

    def __enter__(self) -> Disk:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.make()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unmount()
        self.image.unlink(missing_ok=True)

    def make(self) -> None:
        """An empty file system in the place of the old one."""
        self.unmount()
        with self.image.open("wb") as file:
            file.truncate(_SIZE)
        _run("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(self.image))
        self.mount()

    def mount(self) -> None:
        """After a cut: the kernel replays its journal, as it does when the power is back."""
        _run("mount", "-t", "ext4", "-o", "loop", str(self.image), str(self.folder))

    def unmount(self) -> None:
        """Does nothing if it is not mounted."""
        if os.path.ismount(self.folder):
            _unmount(self.folder)

    def cut(self, flush: int) -> None:
        """The power goes: from here on nothing reaches the disk, and every sync is refused."""
        fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, _SHUTDOWN, struct.pack("I", flush))
        finally:
            os.close(fd)


def unusable() -> str:
    """Why no power can be cut here; "" if it can."""
    if os.geteuid() != 0:
        return "mounting needs root"
    for tool in ("mkfs.ext4", "mount", "losetup"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    return ""


def refused(scratch: Path) -> str:
    """Why this kernel mounts no disk of ours or has no forced shutdown; "" if all works."""
    try:
        with Disk(scratch) as disk:
            disk.cut(NOTHING_FLUSHED)
    except (subprocess.CalledProcessError, OSError) as error:
        said = getattr(error, "stderr", "") or str(error)
        return f"no loop device can be mounted and shut down here ({said.strip().splitlines()[-1]})"
    return ""


def sweep() -> int:
    """Unmounts and detaches what killed runs have left; how many loop devices there were."""
    found = 0
    for device in sorted(Path("/sys/block").glob("loop*")):
        try:
            image = (device / "loop/backing_file").read_text().strip().removesuffix(" (deleted)")
        except OSError:
            continue
        if _abandoned(Path(image).name):
            found += 1
            for point in _mounts_of(f"/dev/{device.name}"):
                _unmount(point)
            subprocess.run(["losetup", "-d", f"/dev/{device.name}"], capture_output=True, check=False)
    for image_file in _ROOMY.glob(f"{_PREFIX}*.img"):
        if _abandoned(image_file.name):
            image_file.unlink(missing_ok=True)
    return found


def _abandoned(name: str) -> bool:
    made_by = _IMAGE.fullmatch(name)
    return made_by is not None and process.start_ticks(int(made_by[1])) != int(made_by[2])


def _mounts_of(device: str) -> list[Path]:
    lines = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [Path(fields[1].encode("latin-1").decode("unicode_escape")) for fields in lines if fields[0] == device]


def _unmount(folder: Path) -> None:
    """At once; if something still has a file open there, as soon as it lets go."""
    if subprocess.run(["umount", str(folder)], capture_output=True, check=False).returncode:
        ctypes.CDLL(None, use_errno=True).umount2(os.fsencode(folder), _MNT_DETACH)


def _run(*command: str) -> None:
    subprocess.run(command, capture_output=True, text=True, check=True)
