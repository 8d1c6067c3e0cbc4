"""Screens of takes: several texts for one place, and several chapters at once. Loaded when they are opened."""
