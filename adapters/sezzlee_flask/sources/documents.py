"""Documents of extensions, joined with the operations they are about (spec: openapi 6)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from flask import Flask
from flask.json.provider import DefaultJSONProvider

from sezzlee_py import Options
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.handlers import attribute, docstring_of, unwrapped
from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.findings import Finding, to_diagnostics
from sezzlee_py.model import Diagnostic, EndpointDescriptor, JSONObject
from sezzlee_py.openapi import RouteDocument
from sezzlee_py.openapi.join import describe_alone, softened
from sezzlee_py.openapi.parse import check_bounds

_MARKUP: Final = re.compile(r"<[^<>]*>")
_RULER: Final = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)
_NOT_WORD: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How documents and types are read: the host's options, and where the application is."""

    prefix: str
    drop_read_only: bool
    carriers: Collection[str]
    cookies: Collection[str]
    binding: Binding

    @classmethod
    def of(cls, app: Flask, options: Options) -> Reading:
        """Return how the documents of an application are read."""
        schema, identity = options.schema, options.identity
        return cls(
            prefix=str(app.config.get("APPLICATION_ROOT") or "/").rstrip("/"),
            drop_read_only=schema.drop_read_only,
            carriers=identity.carriers,
            cookies=identity.cookies,
            binding=Binding(
                type_shape=schema.type_shape,
                type_name=schema.type_name,
                max_depth=schema.max_depth,
                drop_read_only=schema.drop_read_only,
            ),
        )

    def open(self, document: str | JSONObject) -> RouteDocument:
        """Return a document that can be asked for operations."""
        return RouteDocument(
            document,
            prefix=self.prefix,
            drop_read_only=self.drop_read_only,
            carriers=self.carriers,
            cookies=self.cookies,
        )

    def described(
        self, operation: DiscoveredOperation, told: JSONObject, root: JSONObject
    ) -> DiscoveredOperation:
        """Return an operation with what one operation object says about it.

        Args:
            operation: as found.
            told: the operation object.
            root: the document around it: its version, and what references lead to.
        """
        described = describe_alone(
            operation,
            told,
            root,
            drop_read_only=self.drop_read_only,
            carriers=self.carriers,
            cookies=self.cookies,
        )
        return in_own_words(operation, described)


def _always(operation: DiscoveredOperation, view: object) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExtensionDocument:
    """How an extension's document about an application is made, and how far it goes.

    Attributes:
        extension: its name, for findings.
        write: returns the document as it is now, inside the application context, and leaves
            nothing behind that the host would serve later.
        tells_inputs: whether an operation that is listed without inputs is known to have none;
            extensions list operations that they were told nothing about.
        description_of: what is said about an operation alone, where the document mixes it with
            what is said about others; `None` where the document's text is as good.
        is_handwritten: whether people write it beside the code, so that it may leave things out.
        is_enforced: whether the extension reads the inputs that it documents, and refuses others.
    """

    extension: str
    write: Callable[[], Any]
    tells_inputs: Callable[[DiscoveredOperation, object], bool] = _always
    description_of: Callable[[DiscoveredOperation], str | None] = lambda _: None
    is_handwritten: bool = False
    is_enforced: bool = True


class JoinedDocument:
    """One document, asked for the operations of its application.

    Attributes:
        source: where it comes from.
        is_readable: whether it could be made and read.
    """

    def __init__(self, source: ExtensionDocument, app: Flask, reading: Reading) -> None:
        self.source = source
        self._found: tuple[Diagnostic, ...] = ()
        self._routes: RouteDocument | None = None
        # The extension's code and the host's types: what they raise has no common base.
        try:
            with app.app_context():
                document = source.write()
            # What YAML repeats by aliases is one object; it would be written wherever it stands.
            check_bounds(document)
            # As the application would serve it, but in the order it was written.
            text = json.dumps(document, default=partial(_plain, app))
        except Exception as fault:
            self._found = (_unwritten(source.extension, fault),)
        else:
            self._routes = reading.open(text)
            self._found = tuple(map(softened, _about_documents(self._routes.diagnostics)))
        self.is_readable = self._routes is not None and all(
            found.code not in ("openapi_document_unparseable", "openapi_version_unsupported")
            for found in self._found
        )

    def covers(self, descriptor: EndpointDescriptor) -> bool:
        """Whether the document lists an operation."""
        return self._routes is not None and self._routes.covers(descriptor)

    def describe(self, operation: DiscoveredOperation) -> DiscoveredOperation:
        """Return a listed operation with what the document says about it."""
        assert self._routes is not None
        described = in_own_words(operation, self._routes.describe(operation))
        text = self.source.description_of(operation)
        if text is None:
            return described
        return replace(described, descriptor=replace(described.descriptor, description=text))

    def findings(self, routes: Iterable[EndpointDescriptor]) -> tuple[Diagnostic, ...]:
        """Return what was found about the document.

        Args:
            routes: every route that the application has, whether or not it is an operation.
        """
        if self._routes is None:
            return self._found
        for route in routes:
            self.covers(route)
        return (*self._found, *self._routes.unmatched())


def undocumented(operation: DiscoveredOperation) -> DiscoveredOperation:
    """Return an operation that no document lists with a finding that says so."""
    finding = subject_of(operation.descriptor).diagnostic(
        "document_route_unmatched",
        "no document of an extension describes this route; document it there, or declare its "
        "inputs with @mcp_tool(query=..., body=...)",
    )
    return replace(operation, diagnostics=(*operation.diagnostics, finding))


def in_own_words(
    operation: DiscoveredOperation, described: DiscoveredOperation
) -> DiscoveredOperation:
    """Return `described` without text that was only derived.

    Extensions split docstrings into a summary and the rest, and make summaries of names; what a
    handler says about itself then comes from its docstring as everywhere.
    """
    own, told = operation.descriptor.description, described.descriptor.description
    if told is None or told == own:
        return described
    words = _words(told)
    # Below a line of `---` stands a document of its own, and without a text so does all of it.
    prose = "" if own is None else _RULER.split(docstring_of(operation.endpoint))[0]
    if words in _words(prose) or words in _made_of_names(operation):
        return replace(described, descriptor=replace(described.descriptor, description=own))
    return described


def _plain(app: Flask, value: Any) -> Any:
    """Return a value of a document in JSON, as the application's own provider writes it."""
    own = attribute(app.json, "default")
    # A provider may stand on another library, which knows dates by itself.
    return own(value) if callable(own) else DefaultJSONProvider.default(value)


def _words(text: str) -> str:
    return _NOT_WORD.sub("", _MARKUP.sub("", text)).lower()


def _made_of_names(operation: DiscoveredOperation) -> frozenset[str]:
    method = operation.descriptor.method
    names = [str(attribute(unwrapped(operation.endpoint), "__name__") or "")]
    names += [str(attribute(owner, "__name__") or "") for owner in operation.containers[:1]]
    return frozenset(
        _words(text) for name in names for text in (name, f"{name}{method}", f"{method}{name}")
    )


def _about_documents(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    # Which methods a route has is told by the route.
    return (diagnostic for diagnostic in found if diagnostic.code != "unsupported_method")


def _unwritten(extension: str, fault: Exception) -> Diagnostic:
    (found,) = to_diagnostics(
        [
            Finding(
                code="openapi_document_invalid",
                message=f"{extension} cannot write its document, so only routes and views are "
                f"read: {type(fault).__name__}: {fault}",
                about=extension,
            )
        ]
    )
    return found


def mapping_of(target: object) -> Mapping[str, Any]:
    """Return a foreign object as a mapping, an empty one where it is none."""
    return target if isinstance(target, Mapping) else {}
