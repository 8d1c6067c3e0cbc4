"""Durable generation state in one SQLite file per manuscript."""
