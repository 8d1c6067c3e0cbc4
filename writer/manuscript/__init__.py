"""The author's book: a folder of plain files."""
