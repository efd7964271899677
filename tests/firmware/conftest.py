"""The firmware's core, compiled once a session for this computer, whole and changed."""

import ctypes

import pytest
from firmware.building import Workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="session")
def library(workshop: Workshop) -> ctypes.CDLL:
    return workshop.library()
