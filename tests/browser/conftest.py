"""One browser for the tests of a file, and a fresh page for each."""

from collections.abc import Iterator

import pytest
from page_rig import WIDE, browsing, page_in
from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Not for the whole run: while it is there, an event loop runs that other tests would meet."""
    with browsing() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A wide page."""
    with page_in(browser, **WIDE) as page:
        yield page
