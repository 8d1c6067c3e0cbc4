"""How the sheets of the prompt look. Colours are the theme's."""

from __future__ import annotations

SHEET = """
.sheet { width: 100%; height: 100%; background: $background; padding: 0 1; }
.sheet > #title { height: 1; text-style: bold; color: $primary; }
.sheet > #rows { height: 1fr; border: none; padding: 0; background: $background; scrollbar-size-vertical: 1; }
.sheet > #rows:focus { border: none; background-tint: $foreground 0%; }
.sheet > #about { height: auto; max-height: 5; color: $foreground; border-top: solid $panel; }
.sheet > #value { height: 3; border: round $primary; background: $surface; }
.sheet > #told { height: auto; max-height: 3; color: $warning; }
"""
