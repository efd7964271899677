"""A person's browser before a running daemon: Debian's Chromium, and `balanx play` as a newcomer starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PATIENCE_MS = 30_000
WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Daemon:
    """`balanx play` on a port of its own, with a trace."""

    def __init__(self, folder: Path, *arguments: str, speed: float) -> None:
        self.state, self.trace = folder / "state", folder / "trace"
        options = ["--no-browser", "--http", "127.0.0.1:0", "--speed", str(speed)]
        folders = ["--state", str(self.state), "--trace", str(self.trace)]
        command = [sys.executable, "-m", "balanxd", "play", *options, *folders, *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        said = ""
        for line in self.process.stderr:
            said += line
            if found := re.search(r"http://\S+", line):
                self.url = found[0]
                return
        raise AssertionError(f"the daemon did not come up: {said}")

    def stop(self) -> str:
        """End it as Ctrl-C does; what it still said on standard error."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, said
        return str(said)

    def kill(self) -> None:
        """End it as a power cut does; nothing where it has ended."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


@contextmanager
def browsing() -> Iterator[Browser]:
    """One browser for many pages."""
    if not os.path.exists(CHROMIUM):
        pytest.fail(f"{CHROMIUM} is not there: apt-get install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def page_in(browser: Browser, **device: Any) -> Iterator[Page]:
    """A page of nobody's memory. What it complains of in the browser's console is an error in the end."""
    context = browser.new_context(**device)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    # The browser itself reports a server that has gone; everything else is the page's.
    ours = [text for text in complaints if "ERR_CONNECTION_REFUSED" not in text]
    assert not ours, f"the page complained in the browser's console: {ours}"


def click(page: Page, selector: str) -> None:
    """With the mouse, in the middle of the first such thing."""
    page.mouse.click(*centre(page, selector))


def centre(page: Page, selector: str) -> tuple[float, float]:
    """Where its middle is seen."""
    there = page.locator(selector).first
    there.wait_for(state="attached")
    box = there.bounding_box()
    assert box is not None, selector
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def at(space: str) -> str:
    """The selector of a space."""
    return f'[data-space="{space}"]'
