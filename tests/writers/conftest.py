"""One browser for all tests of pages and pictures: starting it takes as long as ten pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import Browser, browser


@pytest.fixture(scope="session")
def one_browser() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture
def chromium(one_browser: Browser) -> Iterator[Browser]:
    yield one_browser
    assert one_browser.complaints() == []
