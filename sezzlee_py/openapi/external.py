"""Documents that a document refers to, brought into it (spec: openapi 2, step 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urldefrag, urljoin

from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.openapi.document import EXTERNAL, FindingList, external_reference
from sezzlee_py.openapi.loaders import DocumentLoader, RefusedReferenceError
from sezzlee_py.openapi.parse import DocumentParseError, parse_document


def bundle(
    root: Mapping[str, Any], loader: DocumentLoader, findings: FindingList
) -> Mapping[str, Any]:
    """Return `root` with every document that it refers to inside, and references into them.

    Raises:
        OSError: when the loader cannot read an admitted document.
    """
    return _Bundle(loader, findings).run(root)


class _Bundle:
    """The documents met so far, by the address they were loaded from."""

    def __init__(self, loader: DocumentLoader, findings: FindingList) -> None:
        self._loader = loader
        self._findings = findings
        self._loaded: dict[str, Any] = {}
        self._waiting: list[str] = []

    def run(self, root: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the whole as one document."""
        bundled = self._rewrite(root, "", "")
        documents: dict[str, Any] = {}
        while self._waiting:
            uri = self._waiting.pop(0)
            documents[uri] = self._rewrite(self._loaded[uri], uri, "")
        return {**bundled, EXTERNAL: documents} if documents else root

    def _rewrite(self, node: Any, base: str, pointer: str) -> Any:
        if isinstance(node, list):
            return [
                self._rewrite(item, base, pointer_to(pointer, at)) for at, item in enumerate(node)
            ]
        if not isinstance(node, Mapping):
            return node
        return {
            key: self._reference(value, base, pointer_to(pointer, "$ref"))
            if key == "$ref" and isinstance(value, str)
            else self._rewrite(value, base, pointer_to(pointer, key))
            for key, value in node.items()
        }

    def _reference(self, reference: str, base: str, pointer: str) -> str:
        if reference.startswith("#"):
            return external_reference(base, reference[1:]) if base else reference
        target, fragment = urldefrag(reference)
        uri = urljoin(base, target)
        if uri not in self._loaded and not self._load(uri, reference, pointer):
            return reference
        return external_reference(uri, fragment)

    def _load(self, uri: str, reference: str, pointer: str) -> bool:
        try:
            self._loaded[uri] = parse_document(self._loader.load(uri)).root
        except RefusedReferenceError:
            # What stays external is reported where it is followed.
            return False
        except DocumentParseError as fault:
            self._findings.add(
                "openapi_document_unparseable",
                f"{reference}: {fault}",
                about=uri,
                pointer=pointer,
            )
            return False
        self._waiting.append(uri)
        return True
