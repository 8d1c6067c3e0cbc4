"""Runs inside vLLM's process, never in ours."""
