"""What an adapter owes the catalog: the operations it found, with nothing decided."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable

from sezzlee_py.model import Diagnostic, EndpointDescriptor, JSONObject

# A mounted application or an endpoint that carries it is the SDK's own and never an operation.
OWN_ROUTE_MARKER: Final = "__sezzlee_endpoint__"

# The methods an operation may have, in the order those of one route are reported.
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY")
# Of these, those whose requests have a body where nothing says otherwise.
WRITES: Final = ("POST", "PUT", "PATCH")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredOperation:
    """One operation as the framework knows it, before any declaration or rule.

    Attributes:
        descriptor: the framework's facts. `operation_id` only where the developer set one in the
            framework's own terms; `tags` only the framework's own (OpenAPI) tags; `container` and
            `container_key` by the rules of `catalog.containers`; `description` the framework's.
        endpoint: the handler as registered; declarations are read from it.
        inner: what the endpoint only leads to, such as `dispatch_request` of a class-based view,
            `None` where it is the handler itself; read where the endpoint declares nothing.
        containers: objects that may carry a declaration, innermost first (class, router or
            blueprint, mount, application).
        accepts: media types the backend is known to accept; `None` when nothing is known.
        class_view: whether the endpoint is a verb's handler of a class-based view.
        antiforgery: whether a check that wants a token of the application's own pages stands
            before the endpoint, so that no form can be sent to it.
        query_models: the framework's query models, parameter name to the wire names of their
            fields; the fields stand among the descriptor's parameters.
        body_fields: names that are read of a JSON body nobody tells of, with their schemas.
        reachable: whether a call can reach it; where none can, its findings say why, and it
            yields no tool and is not counted.
        diagnostics: what was found about this operation; reported only where it is selected, and
            one of severity `endpointDropped` means that it yields no tool.
    """

    descriptor: EndpointDescriptor
    endpoint: object
    inner: object = None
    containers: tuple[object, ...] = ()
    accepts: tuple[str, ...] | None = None
    class_view: bool = False
    antiforgery: bool = False
    query_models: Mapping[str, Collection[str]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    body_fields: Mapping[str, JSONObject] = field(default_factory=lambda: MappingProxyType({}))
    reachable: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """Everything one walk of an application found, in the framework's own order.

    `diagnostics` are those that belong to no operation.
    """

    operations: tuple[DiscoveredOperation, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


class Adapter(Protocol):
    """One application seen through its framework."""

    def discover(self) -> Discovery:
        """Walk the application as it is now."""

    def resolve(self, method: str, path: str, *, host: str | None = None) -> Hashable | None:
        """Return the `endpoint_key` that the application's router picks for a request.

        Args:
            method: upper-case.
            path: decoded, without the root path.
            host: value of the request's host header, for routers that look at it.

        Returns:
            The key; one that no operation has where the router picks what is none; `None` when
            nothing matches or the router cannot be asked.
        """


@runtime_checkable
class ReadingAdapter(Adapter, Protocol):
    """An adapter that can tell which values a router reads out of a path."""

    def reads(
        self, method: str, path: str, written: Mapping[str, str], *, host: str | None = None
    ) -> bool:
        """Whether the router reads the values of a path as they were written into it.

        Asked of a path that `resolve` knows, where one value may reach into the next.

        Args:
            method: upper-case.
            path: decoded, without the root path.
            written: the values as text, by the names of the route's placeholders.
            host: value of the request's host header.

        Returns:
            `False` where it reads another value, `True` also where that cannot be told.
        """
