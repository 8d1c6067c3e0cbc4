"""What a command and all that it starts do with the network: run apart from it, with every such call written down."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ALONE = Path(__file__).resolve().parent / "own_network.py"
_CALLS = "connect,sendto,sendmsg,sendmmsg,bind,listen"
_NAME_SERVICE = 53
_CALL = re.compile(r"\b(connect|sendto|sendmsg|sendmmsg|bind|listen)\(")
_ADDRESS = re.compile(
    r"sa_family=AF_INET6?, sin6?_port=htons\((?P<port>\d+)\)"
    r'.*?(?:inet_addr\("(?P<v4>[^"]*)"\)|inet_pton\(AF_INET6, "(?P<v6>[^"]*)")'
)
_LISTENS = re.compile(r"\blisten\(\d+<(?:TCP|TCPv6)\b")
_RESOLVER = "/run/systemd/resolve/"


@dataclass(frozen=True, slots=True)
class Traced:
    """`calls` of the kind that was watched; `outside` are those that would leave this machine; `listening` on TCP."""

    code: int
    output: str
    calls: int
    outside: tuple[str, ...]
    listening: tuple[str, ...]


def unusable() -> str:
    """Why nothing can be watched here; "" if it can."""
    for tool in ("strace", "unshare"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    probe = subprocess.run([*_apart(), "true"], capture_output=True, text=True, check=False)
    return "" if probe.returncode == 0 else f"no network of its own can be made ({probe.stderr.strip()[-100:]})"


def traced(command: Sequence[str], log: Path, environ: Mapping[str, str], limit: float = 600.0) -> Traced:
    """Runs it. The log is kept."""
    watch = [
        "strace",
        "-f",
        "-qq",
        "-yy",
        "--seccomp-bpf",
        "-e",
        f"trace={_CALLS}",
        "-e",
        "signal=none",
        "-o",
        str(log),
    ]
    done = subprocess.run(
        [*_apart(), *watch, *command],
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=limit,
        check=False,
    )
    lines = [line for line in log.read_text(errors="replace").splitlines() if _CALL.search(line)]
    outside = tuple(line for line in lines if leaves(line))
    return Traced(done.returncode, done.stdout, len(lines), outside, tuple(filter(_LISTENS.search, lines)))


def leaves(line: str) -> bool:
    """Whether this call would reach another machine, or asks for a name: a resolver may live on the loopback."""
    if re.search(r"\b(bind|listen)\(", line):
        return False
    if _RESOLVER in line:
        return True
    for found in _ADDRESS.finditer(line):
        if int(found["port"]) == _NAME_SERVICE:
            return True
        address = found["v4"] or found["v6"]
        if not (address.startswith("127.") or address in ("::1", "::ffff:127.0.0.1")):
            return True
    return False


def _apart() -> list[str]:
    mine = ["-n"] if os.geteuid() == 0 else ["-r", "-n"]
    return ["unshare", *mine, sys.executable, str(_ALONE)]
