"""The manuscript editor: paints the rows of a sheet and turns keys and mouse into changes of it."""
