"""Puts a planted bug into a process of the app: named by WRITER_PLANT, found on PYTHONPATH. See app_plants.py."""

import os
import sys

if (plant := os.environ.get("WRITER_PLANT")) and "-m" in sys.orig_argv:
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import app_plants

    app_plants.plant(plant, sys.orig_argv[sys.orig_argv.index("-m") + 1])
