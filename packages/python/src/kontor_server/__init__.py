"""Starts Kontor for tests, and gives each test a project of its own."""

from .binary import find_binary
from .project import Project
from .request import KontorError
from .server import Kontor, connect_kontor, start_kontor

__all__ = ["Kontor", "KontorError", "Project", "connect_kontor", "find_binary", "start_kontor"]
