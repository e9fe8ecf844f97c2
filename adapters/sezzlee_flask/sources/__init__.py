"""Flask extensions that know more about an operation than its rule and its view do.

None of them is imported: each is told by what it left on the application or around the view.
"""

from __future__ import annotations

from typing import Protocol

from flask import Flask
from werkzeug.routing import Rule

from sezzlee_flask.sources.composite import Sources
from sezzlee_py import Options
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.model import Diagnostic


class SchemaSource(Protocol):
    """What extensions left on one application, read into the facts of its operations."""

    def hides(self, rule: Rule) -> bool:
        """Whether the rule is a page of an extension: its document, its explorer."""

    def describe(
        self, operation: DiscoveredOperation, rule: Rule, view: object
    ) -> DiscoveredOperation:
        """Return the operation with what the extensions tell of it, as it is where all are silent.

        `accepts` set, also to an empty tuple, says that the body is known.

        Args:
            operation: what the rule and the view tell.
            rule: the rule it was found by.
            view: the view function as registered.
        """

    def findings(self) -> tuple[Diagnostic, ...]:
        """Return what was found about the documents, once every operation has been described."""


def schema_source_for(app: Flask, options: Options) -> SchemaSource | None:
    """Return the source of an application, `None` where there is nothing to ask."""
    return Sources(app, options)
