"""The firmware's core, compiled once a session for this computer."""

import ctypes

import pytest
from firmware.boards import load, make


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("firmware")
    make("host", folder)
    return load(folder)
