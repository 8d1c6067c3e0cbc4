"""What must stay fast, measured as ratios. A bench is a folder with `TARGETS`; `scripts/bench NAME` runs it.

Measures the app from outside, and changes nothing of it.
"""
