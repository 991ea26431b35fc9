"""The fixtures of the pytest plugin."""

from typing import Iterator

import pytest

from .project import Project
from .server import Kontor, start_kontor


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("kontor_flags", "More flags of `kontor serve`, e.g. --strict", type="args", default=[])


@pytest.fixture(scope="session")
def kontor(pytestconfig: pytest.Config) -> Iterator[Kontor]:
    """One server in memory for the whole run."""
    with start_kontor(flags=list(pytestconfig.getini("kontor_flags"))) as server:
        yield server


@pytest.fixture
def kontor_project(kontor: Kontor) -> Iterator[Project]:
    """A project of this test alone."""
    project = kontor.project()
    yield project
    project.remove()
