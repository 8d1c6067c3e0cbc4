"""A terminal writing assistant for novels and reports, on one's own GPU. Importing the package is free."""

__version__ = "0.1.0"
