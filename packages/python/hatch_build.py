"""Adds the binary that `KONTOR_BIN` names to the wheel, as the command `kontor`."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The binary is static: it needs no C library of the system.
PLATFORMS = "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"


class BinaryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return
        build_data["pure_python"] = False
        build_data["tag"] = os.environ.get("KONTOR_WHEEL_TAG", f"py3-none-{PLATFORMS}")
        build_data["shared_scripts"][os.environ["KONTOR_BIN"]] = "kontor"
