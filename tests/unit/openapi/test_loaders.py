import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from sezzlee_py.model import RequestBody
from sezzlee_py.openapi import FileLoader, HttpLoader, RefusedReferenceError, ingest, loaders
from tests.unit.schema.reading import check_published


class Memory:
    """Documents by address; each is read once."""

    def __init__(self, **documents: Any) -> None:
        self.documents = documents
        self.read: list[str] = []

    def load(self, uri: str) -> str:
        self.read.append(uri)
        if uri not in self.documents:
            raise RefusedReferenceError(uri)
        text = self.documents[uri]
        return text if isinstance(text, str) else json.dumps(text)


def document(reference: str) -> dict[str, Any]:
    body = {"required": True, "content": {"application/json": {"schema": {"$ref": reference}}}}
    return {"openapi": "3.1.0", "paths": {"/a": {"post": {"requestBody": body}}}}


def test_references_into_other_documents_are_followed() -> None:
    loader = Memory(
        **{
            "lib/models.json": {
                "Order": {
                    "type": "object",
                    "properties": {
                        "id": {"$ref": "types.yaml"},
                        "parent": {"$ref": "#/Order"},
                        "back": {"$ref": "../lib/models.json#/Order"},
                    },
                }
            },
            "lib/types.yaml": "type: integer\n",
        }
    )
    (descriptor,) = ingest(document("lib/models.json#/Order"), loader=loader).descriptors
    order = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "parent": {"$ref": "#/$defs/Order"},
            "back": {"$ref": "#/$defs/Order"},
        },
    }
    assert descriptor.request_body == RequestBody(schema={**order, "$defs": {"Order": order}})
    check_published(dict(descriptor.request_body.schema))
    assert loader.read == ["lib/models.json", "lib/types.yaml"]


def test_a_whole_document_can_be_a_component() -> None:
    node = {"type": "object", "properties": {"n": {"$ref": "#"}}}
    (descriptor,) = ingest(document("node.json"), loader=Memory(**{"node.json": node})).descriptors
    assert descriptor.request_body is not None
    assert list(descriptor.request_body.schema["$defs"]) == ["node"]


def test_path_items_and_lists_of_other_documents_are_followed() -> None:
    item = {"get": {"parameters": [{"$ref": "#/p"}]}, "p": {"name": "q", "in": "query"}}
    source = {"openapi": "3.1.0", "paths": {"/a": {"$ref": "item.json"}}}
    (descriptor,) = ingest(source, loader=Memory(**{"item.json": item})).descriptors
    assert [p.name for p in descriptor.parameters] == ["q"]


def test_what_the_loader_refuses_is_blocked() -> None:
    found = ingest(document("http://example.com/a.json"), loader=Memory())
    assert [d.code for d in found.diagnostics] == ["external_ref_blocked"]
    assert found.descriptors == ()


def test_a_broken_document_behind_a_reference_is_told() -> None:
    found = ingest(document("a.json"), loader=Memory(**{"a.json": "{"}))
    assert [d.code for d in found.diagnostics] == [
        "openapi_document_unparseable",
        "external_ref_blocked",
    ]


def test_faults_of_the_loader_are_raised() -> None:
    class Broken:
        def load(self, uri: str) -> str:
            raise OSError(uri)

    with pytest.raises(OSError, match=r"a\.json"):
        ingest(document("a.json"), loader=Broken())


def test_a_document_without_other_documents_is_left_as_it_is() -> None:
    loader = Memory()
    source = {"openapi": "3.1.0", "paths": {"/a": {"get": {"x": [1, {"$ref": 5}]}}}}
    assert len(ingest(source, loader=loader).descriptors) == 1
    assert loader.read == []


def test_files_are_read_below_the_root_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "specs"
    (root / "sub dir").mkdir(parents=True)
    (root / "sub dir" / "a.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (root / "link.json").symlink_to(tmp_path / "secret.json")
    loader = FileLoader(root)
    assert loader.load("sub%20dir/a.json") == b"{}"
    for uri in ("../secret.json", "link.json", "/etc/passwd", "http://h/a", "file:///etc/passwd"):
        with pytest.raises(RefusedReferenceError):
            loader.load(uri)
    with pytest.raises(FileNotFoundError):
        loader.load("missing.json")
    monkeypatch.setattr(loaders, "MAX_BYTES", 1)
    with pytest.raises(RefusedReferenceError):
        loader.load("sub%20dir/a.json")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", "/a.json")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"type": "integer"}')

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def host() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_http_documents_come_from_allowed_hosts_without_redirects(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = HttpLoader([host])
    found = ingest(document(f"http://{host}/a.json"), loader=loader)
    assert found.descriptors[0].request_body == RequestBody(schema={"type": "integer"})
    for uri in ("http://example.com/a.json", "ftp://" + host, "a.json", f"http://x@{host}/a.json"):
        with pytest.raises(RefusedReferenceError):
            loader.load(uri)
    with pytest.raises(OSError, match="302") as caught:
        loader.load(f"http://{host}/redirect")
    caught.value.close()  # type: ignore[attr-defined]  # an HTTPError holds the answer open
    monkeypatch.setattr(loaders, "MAX_BYTES", 3)
    with pytest.raises(RefusedReferenceError):
        loader.load(f"http://{host}/a.json")
