"""Server-sent events, incrementally: network chunks cut anywhere → the payload of each `data:` event.

Pure: no I/O, no clock. Works on bytes, because a line break is never part of a UTF-8 character. Comments
(vLLM's keep-alive lines) and other fields are ignored; an event that is not finished when the stream ends is
not an event.
"""

from __future__ import annotations


class EventParser:
    """Feed it what arrives; it hands back the payloads that are complete. One parser per stream."""

    def __init__(self) -> None:
        self._line = b""
        self._data: list[bytes] = []
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Payloads of the events that `chunk` completes, in order."""
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")  # the second half of a "\r\n" that was cut
            self._after_cr = False
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._line = (self._line + chunk).split(b"\n")
        return [payload for line in lines if (payload := self._take(line)) is not None]

    def _take(self, line: bytes) -> bytes | None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            payload = b"\n".join(self._data)
            self._data.clear()
            return payload
        return None
