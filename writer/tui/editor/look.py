"""How each thing in a text looks: one style each, taken from the theme. Later ones are painted over earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rich.style import Style
from textual.widget import Widget


@dataclass(frozen=True)
class Look:
    """Rich's styles. All but `text` say only what they change of what is below them."""

    text: Style
    heading: Style
    quote: Style
    scene_break: Style
    link: Style
    emphasis: Style
    strong: Style
    code: Style
    markup: Style
    tint: Style
    unsure: Style
    doubtful: Style
    dim: Style
    misspelt: Style
    found: Style
    current: Style
    selected: Style
    cursor: Style


LAYERS = tuple(each.name for each in fields(Look))[1:]
_COMPONENT = {name: f"editor--{name.replace('_', '-')}" for name in LAYERS}
COMPONENTS = set(_COMPONENT.values())

PAINTING_CSS = """
Editor {
    & .editor--heading { color: $text-primary; text-style: bold; }
    & .editor--quote { color: $foreground 75%; }
    & .editor--scene-break { color: $text-accent; text-style: bold; }
    & .editor--link { color: $text-secondary; text-style: underline; }
    & .editor--emphasis { text-style: italic; }
    & .editor--strong { text-style: bold; }
    & .editor--code { color: $text-warning; }
    & .editor--markup { color: $foreground 45%; }
    & .editor--tint { background: $success 14%; }
    & .editor--unsure { background: $warning 22%; }
    & .editor--doubtful { background: $error 45%; text-style: underline; }
    & .editor--dim { color: $foreground 40%; }
    & .editor--misspelt { color: $text-error; text-style: underline; }
    & .editor--found { background: $warning 35%; }
    & .editor--current { background: $warning; color: $text; text-style: bold; }
    & .editor--selected { background: $input-selection-background; color: $input-selection-foreground; }
    & .editor--cursor { text-style: reverse; }
    &:ansi, &:nocolor {
        & .editor--tint { text-style: dim; }
        & .editor--unsure { text-style: italic; }
        & .editor--doubtful { text-style: italic underline; }
        & .editor--dim { text-style: dim; }
        & .editor--found { text-style: underline; }
        & .editor--current { text-style: reverse; }
        & .editor--selected { text-style: reverse; }
        & .editor--cursor { text-style: reverse bold underline; }
    }
}
"""
"""Defaults for these components, from the theme's colours; without colours attributes take their place."""


def look(widget: Widget) -> Look:
    """The look that the theme and the style sheets give this widget now. It needs `COMPONENTS` and `PAINTING_CSS`."""
    layers = {name: _layer(widget, component) for name, component in _COMPONENT.items()}
    return Look(text=widget.rich_style, **layers)


def _layer(widget: Widget, component: str) -> Style:
    """What the component itself sets; colours that let others through are mixed with the widget's."""
    styles, mixed = widget.get_component_styles(component), widget.get_component_rich_style(component)
    coloured = styles.has_rule("color") or styles.has_rule("auto_color")
    filled = styles.has_rule("background") and styles.background.a > 0
    return styles.text_style + Style(color=mixed.color if coloured else None, bgcolor=mixed.bgcolor if filled else None)
