"""A book leaves for other programs, or comes from them: Word, EPUB, PDF, HTML, Markdown, plain text.

The work is pandoc's and typst's, each behind one door (`pandoc`, `typesetting`), in processes of their own that get no
network and only so much time and memory. Nothing here knows a screen, or changes a manuscript that is there already.
"""
