"""What a generation is: pure values and plans, no I/O."""
