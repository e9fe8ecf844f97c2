"""How a host wants types read, passed along as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sezzlee_py.catalog.schema.generator import TypeName, TypeShape
from sezzlee_py.catalog.schema.slots import SlotKind
from sezzlee_py.catalog.schema.types import BoundSchema, Mode, bind_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The options under `options.schema`, and the globals of the handler."""

    type_shape: TypeShape | None = None
    type_name: TypeName | None = None
    max_depth: int | None = None
    drop_read_only: bool = True
    namespace: Mapping[str, Any] | None = None

    def bind(self, source: Any, mode: Mode, kind: SlotKind = SlotKind.JSON) -> BoundSchema:
        """Return the schema of a type; see `bind_type`."""
        return bind_type(
            source,
            mode=mode,
            kind=kind,
            type_shape=self.type_shape,
            type_name=self.type_name,
            max_depth=self.max_depth,
            drop_read_only=self.drop_read_only,
            namespace=self.namespace,
        )
