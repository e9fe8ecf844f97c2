"""An application as the commands use it: its engine, its catalog, and a loop for its calls."""

from __future__ import annotations

import asyncio
import copy
import importlib
import logging
import sys
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

from sezzlee_py.catalog.adapter import Adapter, Discovery
from sezzlee_py.catalog.build import build_catalog
from sezzlee_py.catalog.oversights import Oversight, oversights
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.cli.failure import Failure
from sezzlee_py.cli.loading import described, load_app
from sezzlee_py.errors import CatalogError
from sezzlee_py.invoke.asgi import ASGIDispatcher
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.runtime import LoopRuntime, ThreadRuntime
from sezzlee_py.invoke.settle import drive
from sezzlee_py.invoke.wsgi import WSGIDispatcher
from sezzlee_py.options import Options, SelectionOptions
from sezzlee_py.testing.in_process import ASGITransport, Transport, transport_for
from sezzlee_py.toolkit import Engine
from sezzlee_py.toolkit.catalog_life import CatalogLife

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Framework:
    """A framework whose applications are read; nothing is imported to recognise one."""

    name: str
    module: str
    class_name: str
    adapter: tuple[str, str]


# FastAPI first: its applications are Starlette's too.
_FRAMEWORKS: Final = (
    _Framework(
        name="fastapi",
        module="fastapi",
        class_name="FastAPI",
        adapter=("sezzlee_fastapi.discovery", "FastAPIAdapter"),
    ),
    _Framework(
        name="starlette",
        module="starlette.applications",
        class_name="Starlette",
        adapter=("sezzlee_starlette.discovery", "StarletteAdapter"),
    ),
    _Framework(
        name="flask",
        module="flask",
        class_name="Flask",
        adapter=("sezzlee_flask.discovery", "FlaskAdapter"),
    ),
)
# Where wrappers keep what they wrap: an application may be served from inside middleware.
_WRAPPED: Final = ("app", "_app", "asgi_app", "application", "wsgi_app", "wsgi_application")
_MOST_WRAPPERS: Final = 30
_DEEPEST_MOUNT: Final = 5


class Host:
    """One application with the engine behind its endpoint, or one made for it.

    Attributes:
        app: as it is imported.
        framework: `fastapi`, `starlette` or `flask`.
        engine: the mounted one; where none is mounted, one with default options that leaves the
            application's routes as they are.
        is_mounted: whether the application mounts an endpoint itself.
        around: what the host's own functions run in.
        is_blocking: whether calls run in threads, as under WSGI.
    """

    def __init__(self, app: Any) -> None:
        inner, known = _recognised(app)
        self.app = app
        self.framework = known.name
        self.transport: Transport = transport_for(app)
        self.is_blocking = not isinstance(self.transport, ASGITransport)
        # Flask's own functions expect an application context; other frameworks have none.
        self.around: Callable[[], AbstractContextManager[Any]]
        self.around = getattr(inner, "app_context", nullcontext)
        mounted = next(_mounted_engines(inner), None)
        self.is_mounted = mounted is not None
        self.engine = mounted or self._temporary_engine(inner, known)
        self._is_started = False

    def start(self) -> None:
        """Run the application's startup.

        Raises:
            Failure: the startup failed, for another reason than what its catalog holds.
        """
        try:
            self.transport.open()
        except RuntimeError as fault:
            # A fatal catalog fails the startup of its host; it is a finding, and told as one.
            if not (self.is_mounted and self.catalog.fatal):
                raise Failure("start_failed", _start_message(fault)) from fault
        else:
            self._is_started = True

    def stop(self) -> None:
        """Run the application's shutdown."""
        if self._is_started:
            self._is_started = False
            self.transport.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns, run where the application's own requests run."""
        if self.is_blocking:
            with self.around():
                return drive(work)
        return self.transport.run(work) if self._is_started else asyncio.run(work)

    @cached_property
    def discovery(self) -> Discovery:
        """What the adapter finds in the application."""
        return self.engine.adapter.discover()

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog, whatever it holds: with fatal findings too."""
        return self._catalog_with(self.engine.options, lambda: self.engine.catalog)

    def oversights(self) -> tuple[Oversight, ...]:
        """Return what was likely not meant, as the log tells it."""
        walked = [operation.descriptor for operation in self.discovery.operations]
        return oversights(self.catalog, self.engine.options, walked, self.engine.paths)

    def whole_catalog(self) -> Catalog:
        """Return the catalog that `selection.default = "include"` would give."""
        options = with_everything(self.engine.options)
        runtime = ThreadRuntime(self.around) if self.is_blocking else LoopRuntime()
        life = CatalogLife(self.engine.adapter, runtime, options)
        return self._catalog_with(options, lambda: life.build().catalog)

    def _catalog_with(self, options: Options, build: Callable[[], Catalog]) -> Catalog:
        try:
            return build()
        except CatalogError:
            return build_catalog(self.discovery, options)

    def _temporary_engine(self, inner: Any, known: _Framework) -> Engine:
        module, name = known.adapter
        adapter: Adapter = getattr(importlib.import_module(module), name)(inner)
        if self.is_blocking:
            return Engine(adapter, WSGIDispatcher(self.app), ThreadRuntime(self.around), Options())
        transport = self.transport
        assert isinstance(transport, ASGITransport)
        dispatcher = ASGIDispatcher(self.app, state=lambda: transport.state)
        return Engine(adapter, dispatcher, LoopRuntime(), Options())


@contextmanager
def opened_host(
    spec: str, *, factory: bool = False, start: bool = True, tells: Collection[str] = ()
) -> Iterator[Host]:
    """Give the application of an import string, started, and stop it afterwards.

    Args:
        spec: the import string.
        factory: whether it names a function that returns the application.
        start: whether its startup runs.
        tells: events beside findings that the command writes itself.

    Raises:
        Failure: there is no such application, or it does not start.
    """
    with _left_to_the_command({"diagnostic", *tells}):
        host = Host(load_app(spec, factory=factory))
        if start:
            host.start()
        try:
            yield host
        finally:
            host.stop()


def with_everything(options: Options) -> Options:
    """Return a copy of `options` that offers whatever nothing excludes."""
    whole = copy.copy(options)
    rules = list(options.selection.rules)
    whole.selection = SelectionOptions(default="include", rules=rules)
    return whole


def _recognised(app: Any) -> tuple[Any, _Framework]:
    """The application of a framework at or below `app`, and the framework."""
    layer = app
    for _ in range(_MOST_WRAPPERS):
        for known in _FRAMEWORKS:
            kind = getattr(sys.modules.get(known.module), known.class_name, None)
            if kind is not None and isinstance(layer, kind):
                return layer, known
        inner = (getattr(layer, name, None) for name in _WRAPPED)
        layer = next((found for found in inner if callable(found) and found is not layer), None)
        if layer is None:
            break
    raise Failure(
        "unknown_framework",
        f"{type(app).__module__}.{type(app).__qualname__} is no FastAPI, Starlette or Flask "
        "application, and wraps none",
    )


def _mounted_engines(app: Any, depth: int = 0) -> Iterator[Engine]:
    """Yield the engines that `mount_mcp` left with an application and those mounted in it.

    Starlette's adapter keeps its installation on the application, Flask's among the extensions.
    """
    extensions = getattr(app, "extensions", None)
    kept = [getattr(app, "_sezzlee_installation", None)]
    if isinstance(extensions, Mapping):
        kept.append(extensions.get("sezzlee"))
    engines = (getattr(installation, "engine", None) for installation in kept)
    yield from (engine for engine in engines if isinstance(engine, Engine))
    routes = getattr(app, "routes", None)
    if isinstance(routes, list | tuple) and depth < _DEEPEST_MOUNT:
        for route in routes:
            yield from _mounted_engines(getattr(route, "app", None), depth + 1)


def _start_message(fault: RuntimeError) -> str:
    # Starlette sends the whole traceback; its last line is the exception.
    lines = [line for line in str(fault).splitlines() if line.strip()]
    cause = fault.__cause__
    return described(cause) if cause else f"the application does not start: {_told(lines)}"


def _told(lines: list[str]) -> str:
    if len(lines) < 2:
        return lines[0] if lines else "it does not say why"
    places = [line.strip() for line in lines if line.lstrip().startswith('File "')]
    place = f" ({_short(places[-1])})" if places else ""
    return f"{lines[-1].strip()}{place}"


def _short(frame: str) -> str:
    path, _, rest = frame.removeprefix('File "').partition('"')
    line = rest.removeprefix(", line ").partition(",")[0]
    return f"{path.rpartition('/')[2]}, line {line}"


@contextmanager
def _left_to_the_command(events: Collection[str]) -> Iterator[None]:
    """Keep out of the log what a command writes itself."""
    quiet = _Without(events)
    LOGGER.addFilter(quiet)
    try:
        yield
    finally:
        LOGGER.removeFilter(quiet)


class _Without(logging.Filter):
    def __init__(self, events: Collection[str]) -> None:
        super().__init__()
        self._events = events

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "sezzlee_event", None) not in self._events
