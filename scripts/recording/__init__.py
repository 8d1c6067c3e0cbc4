"""Records a terminal session of the real program with the real engine, and makes pictures of it."""
