"""A text as it is edited: its paragraphs, rows, places, and what can be taken back. Pure: it knows no screen."""
