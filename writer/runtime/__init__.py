"""The live process: joins engine and storage. Knows no widget."""
