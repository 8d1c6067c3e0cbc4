"""Running part of a test as a user without privileges, since root may read and write everything."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder that belongs to whoever `unprivileged` runs as."""
    folder = Path(tempfile.mkdtemp(prefix="w-"))
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    try:
        yield folder
    finally:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
        shutil.rmtree(folder)


def unprivileged(check: Callable[[], object]) -> None:
    """Run `check` in a forked child without root's rights; its failure is the test's."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            check()
        except BaseException:
            os.write(writer, traceback.format_exc().encode()[-60_000:])
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        report = pipe.read().decode()
    os.waitpid(pid, 0)
    assert not report, report
