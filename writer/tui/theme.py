"""The colours: paper-white on ink, and one lamp. Everything else takes its colours from here, by name."""

from __future__ import annotations

from textual.theme import Theme

INK = Theme(
    name="ink",
    primary="#84a9d1",
    secondary="#6f8fb3",
    accent="#e3b26f",
    warning="#e3b26f",
    error="#e07a7a",
    success="#7fb58f",
    foreground="#dcd7cc",
    background="#14161a",
    surface="#1a1d22",
    panel="#23272e",
    variables={
        "block-cursor-background": "#84a9d1",
        "block-cursor-foreground": "#14161a",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": "#2a313b",
        "block-cursor-blurred-foreground": "#f0ece3",
        "block-cursor-blurred-text-style": "bold",  # seen where there are only sixteen colours
        "border": "#84a9d1",
        "border-blurred": "#23272e",
        "button-color-foreground": "#14161a",
        "button-focus-text-style": "bold",
        "footer-background": "#14161a",
        "footer-foreground": "#9a978f",
        "footer-description-foreground": "#9a978f",
        "footer-key-foreground": "#e3b26f",
        "input-selection-background": "#3d5878",
        "input-selection-foreground": "#ffffff",
        "scrollbar": "#3a404a",
        "scrollbar-hover": "#4b5360",
        "scrollbar-active": "#84a9d1",
        "scrollbar-background": "#14161a",
        "scrollbar-background-hover": "#1a1d22",
        "scrollbar-background-active": "#1a1d22",
        "scrollbar-corner-color": "#14161a",
    },
)
