"""Makes the pictures in assets/ from the real app, without a terminal, an engine or a browser."""
