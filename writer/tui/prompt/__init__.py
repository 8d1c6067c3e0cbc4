"""Screens of the prompt: what the model is given, how full its window is, and how its words are drawn."""
