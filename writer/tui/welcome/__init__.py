"""The first steps: a guide of a few plain screens for someone new. Loaded when it is shown, never before."""
