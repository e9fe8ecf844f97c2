"""The three meta-tools over a stub, for trying the suite without an application.

`app` serves the endpoint at every path; start it with any ASGI server.
"""

from tests.endpoint.stub import StubService, asgi_app

app = asgi_app(StubService())
