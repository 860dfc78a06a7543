"""Fixtures of the tests of the library."""

import pytest


@pytest.fixture(scope="session")
def web(fixture_module):
    """tests/fixtures/judge_server.py: the answers that its server can give."""
    return fixture_module("judge_server")


@pytest.fixture
def server(web):
    """A judge on this machine, over real HTTP; `server.plan` says what it does."""
    with web.running() as running:
        yield running
