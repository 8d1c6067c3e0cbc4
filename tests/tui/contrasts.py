"""How well a colour is seen on another."""

from __future__ import annotations

from textual.color import Color


def luminance(color: Color) -> float:
    """As the WCAG define it."""
    parts = [each / 255 for each in color.rgb]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str | None, other: str | None) -> float:
    """From 1 to 21, as the WCAG define it."""
    assert one is not None
    assert other is not None
    low, high = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))))
    return (high + 0.05) / (low + 0.05)
