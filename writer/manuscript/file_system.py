"""On what kind of disk a folder lies: one of this machine, or one that is shared, synchronised, or another system's.

There other programs, and other machines, write without the kernel telling us; so we look for ourselves.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from writer.language import say

_FUSE = 0x65735546
_MAGIC = {
    0x6969: "NFS",
    0x517B: "SMB",
    0xFE534D42: "SMB",
    0xFF534D42: "CIFS",
    0x01021997: "9p",  # a Windows disk under WSL, or the host's under a virtual machine
    _FUSE: "FUSE",
    0x6A656A63: "virtiofs",
    0x00C36400: "Ceph",
    0x0BD00BD0: "Lustre",
    0x5346414F: "AFS",
    0x6B414653: "AFS",
    0x73757245: "Coda",
    0x564C: "NCP",
    0x786F4256: "VirtualBox",
    0xBACBACBC: "VMware",
}
_SYNCHRONISED = {".dropbox.cache": "Dropbox", ".sync_": "Nextcloud", "._sync_": "Nextcloud", ".stfolder": "Syncthing"}
_BYTES = 256  # more than any statfs structure has


def far(folder: Path) -> str:
    """What the folder's disk is if it is none of this machine ("NFS", "9p", …); "" if it is one, or nobody knows."""
    found = magic(folder)
    if found == _FUSE and _has_device(folder):  # a disk of this machine whose driver is a program (NTFS)
        return ""
    return _MAGIC.get(found, "")


def synchronised(folder: Path) -> str:
    """The program that copies the folder to other machines, by what it has left in it or above; "" if there is none."""
    for place in (folder, *folder.parents):
        try:
            names = os.listdir(place)
        except OSError:
            continue
        for mark, program in _SYNCHRONISED.items():
            if any(name == mark or (mark.endswith("_") and name.startswith(mark)) for name in names):
                return program
        if place == Path.home():
            break
    return ""


def warning(folder: Path) -> str:
    """One sentence for the author if the manuscript's folder is shared or synchronised; "" if it is not."""
    if kind := far(folder):
        return say(
            "The manuscript lies on a shared or foreign disk ({kind}). Other machines' changes are "
            "noticed within seconds, and no lock reaches them: open it on one machine at a time.",
            kind=kind,
        )
    if program := synchronised(folder):
        return say(
            "The manuscript's folder is synchronised by {program}. Your state is not in it; open the "
            "manuscript on one machine at a time, or both will change the same chapters.",
            program=program,
        )
    return ""


def _has_device(folder: Path) -> bool:
    try:
        return os.major(os.stat(folder).st_dev) != 0
    except OSError:
        return False


def magic(folder: Path) -> int:
    """The number by which the kernel calls the file system; 0 if it does not tell."""
    buffer = ctypes.create_string_buffer(_BYTES)
    try:
        call = ctypes.CDLL(None, use_errno=True).statfs
    except (OSError, AttributeError):
        return 0
    if call(os.fsencode(folder), buffer) != 0:
        return 0
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF  # f_type is the first field, a long
