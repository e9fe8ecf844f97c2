"""Applications on loopback, each told its own address before it is made."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn


@asynccontextmanager
async def served(make: Callable[[str], Any]) -> AsyncIterator[str]:
    """Serve what `make` returns for its base URL, behind uvicorn in a thread of its own."""
    config = uvicorn.Config("unused", port=0, log_level="error", ws="none")
    listening = config.bind_socket()
    listening.listen()
    host, port = listening.getsockname()
    base = f"http://{host}:{port}"
    config.app = make(base)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    # The socket listens already, so a first request waits instead of being refused.
    thread.start()
    try:
        yield base
    finally:
        server.should_exit = True
        await asyncio.to_thread(thread.join, 10)
