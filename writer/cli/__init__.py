"""The command line. Scripts and tests rely on its words, its JSON and its exit codes (docs/cli.md)."""
