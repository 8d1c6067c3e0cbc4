"""The screens of the whole book: overview, notes, search, goals, reading view."""
