"""What click itself says, in the language of the interface. click looks its words up in `_` of each of its modules."""

from __future__ import annotations

import sys

from writer.language import say, spoken

_WORDS = {
    "Aborted!": say("Aborted!"),
    "Commands": say("Commands"),
    "Could not open file {filename!r}: {message}": say("Could not open file {filename!r}: {message}"),
    "Error: The two entered values do not match.": say("Error: The two entered values do not match."),
    "Error: invalid input": say("Error: invalid input"),
    "Error: {message}": say("Error: {message}"),
    "Invalid value for {param_hint}: {message}": say("Invalid value for {param_hint}: {message}"),
    "Invalid value: {message}": say("Invalid value: {message}"),
    "Missing argument": say("Missing argument"),
    "Missing command.": say("Missing command."),
    "Missing option": say("Missing option"),
    "Missing parameter": say("Missing parameter"),
    "Missing parameter: {param_name}": say("Missing parameter: {param_name}"),
    "Choose from:\n\t{choices}": say("Choose from:\n\t{choices}"),
    "No such command {name!r}.": say("No such command {name!r}."),
    "No such option {name!r}.": say("No such option {name!r}."),
    "Option {name!r} does not take a value.": say("Option {name!r} does not take a value."),
    "Options": say("Options"),
    "Positional arguments": say("Positional arguments"),
    "Show this message and exit.": say("Show this message and exit."),
    "Try '{command} {option}' for help.": say("Try '{command} {option}' for help."),
    "Usage:": say("Usage:"),
    "default: {default}": say("default: {default}"),
    "directory": say("directory"),
    "file": say("file"),
    "path": say("path"),
    "required": say("required"),
    "unknown error": say("unknown error"),
    "{name} {filename!r} does not exist.": say("{name} {filename!r} does not exist."),
    "{name} {filename!r} is a directory.": say("{name} {filename!r} is a directory."),
    "{name} {filename!r} is a file.": say("{name} {filename!r} is a file."),
    "{name} {filename!r} is not readable.": say("{name} {filename!r} is not readable."),
    "{name} {filename!r} is not writable.": say("{name} {filename!r} is not writable."),
    "{value!r} is not a valid {number_type}.": say("{value!r} is not a valid {number_type}."),
    "{value} is not in the range {range}.": say("{value} is not in the range {range}."),
}
_COUNTED = {
    "Did you mean {possibility}?": (
        say("Did you mean {possibility}?"),
        say("(Did you mean one of: {possibilities}?)"),
    ),
    "Got unexpected extra argument ({args})": (
        say("Got unexpected extra argument ({args})"),
        say("Got unexpected extra arguments ({args})"),
    ),
    "Option {name!r} requires an argument.": (
        say("Option {name!r} requires an argument."),
        say("Option {name!r} requires {nargs} arguments."),
    ),
    "{value!r} is not {choice}.": (
        say("{value!r} is not {choice}."),
        say("{value!r} is not one of {choices}."),
    ),
}


def translate() -> None:
    """From now on click speaks as writer does. In English it does already."""
    if spoken() == "en":
        return
    for name, module in list(sys.modules.items()):
        if name.startswith("click.") and hasattr(module, "_"):
            setattr(module, "_", _said)  # noqa: B010  (not an attribute that a type checker knows)
        if name.startswith("click.") and hasattr(module, "ngettext"):
            setattr(module, "ngettext", _counted)  # noqa: B010


def _said(message: str) -> str:
    return _WORDS.get(message, message)


def _counted(one: str, several: str, count: int) -> str:
    """With its fields unfilled, as click wants it."""
    single, plural = _COUNTED.get(one, (one, several))
    return single if count == 1 else plural
