"""The `writer` command. `writer DIR` on a terminal goes straight to the launcher, which imports almost nothing."""

from __future__ import annotations

import sys


def main() -> int:
    """Exit codes: 0 done, 1 error, 2 usage, 130 paused."""
    arguments = sys.argv[1:]
    if len(arguments) == 1 and not arguments[0].startswith("-") and sys.stdin.isatty() and sys.stdout.isatty():
        from writer.cli.names import COMMANDS

        if arguments[0] not in COMMANDS:
            from writer.launcher import run

            return run(arguments)
    from writer.cli.main import run_command_line

    return run_command_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
