"""Finds the binary."""

import os
import sysconfig
from pathlib import Path


def find_binary() -> str:
    """Returns `KONTOR_BIN`, the command of this package, or `kontor` for a search in `PATH`."""
    named = os.environ.get("KONTOR_BIN")
    if named:
        return named
    folders = [
        sysconfig.get_path("scripts"),
        # pip install --user
        sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))
        if hasattr(sysconfig, "get_preferred_scheme")
        else None,
        # pip install --target
        str(Path(__file__).parent.parent / "bin"),
    ]
    for folder in filter(None, folders):
        binary = Path(folder) / "kontor"
        if binary.is_file():
            return str(binary)
    return "kontor"
