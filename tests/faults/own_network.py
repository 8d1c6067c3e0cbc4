"""Runs a command in a network of its own with nothing in it but the loopback: `own_network.py COMMAND…`.

Started below `unshare`, it only has to switch the loopback on. Standard library only.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

_SIOCSIFFLAGS, _UP = 0x8914, 0x1 | 0x40


def main(command: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", _UP, b""))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
