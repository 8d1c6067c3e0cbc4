"""Two names exchange their files in one step, where kernel and file system can do that (Linux: renameat2).

A rename destroys what it replaces. An exchange hands it over, so that it can still be looked at.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)  # to the kernel, or to the file system (NFS, FAT, 9p)


def exchange(one: Path, other: Path) -> bool:
    """Let two existing files change places. False where that cannot be done: nothing has changed. Raises OSError."""
    call = _renameat2()
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNKNOWN:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))


@cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):  # an older C library, or another system
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    call.restype = ctypes.c_int
    return call
