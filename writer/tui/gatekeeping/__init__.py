"""What a window does when another one writes in the manuscript: it asks the author, and then reads or takes over."""
