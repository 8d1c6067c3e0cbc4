"""llama.cpp's server as the package xllamacpp has it: `llama_child.py GGUF PORT SLOTS WINDOW`, until it is ended."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Serves on 127.0.0.1."""
    import xllamacpp  # type: ignore[import-not-found]

    gguf, port, slots, window = sys.argv[1:5]
    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.n_ctx, params.n_parallel = int(window), 1
    params.port = int(port)
    params.slot_save_path = slots if slots.endswith("/") else f"{slots}/"
    params.endpoint_slots = True
    params.cpuparams.n_threads = max(1, len(os.sched_getaffinity(0)) - 1)  # as vLLM does
    server = xllamacpp.Server(params)
    signal.pause()
    del server


if __name__ == "__main__":
    main()
