"""The same endpoint on both shells."""

import pytest

from tests.endpoint.drive import App
from tests.endpoint.stub import StubService, asgi_app, wsgi_app


@pytest.fixture
def service() -> StubService:
    return StubService()


@pytest.fixture(params=["asgi", "wsgi"])
def app(request: pytest.FixtureRequest, service: StubService) -> App:
    return asgi_app(service) if request.param == "asgi" else wsgi_app(service)
