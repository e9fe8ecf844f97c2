"""Wires one application: adapter, catalog, search, invoker and endpoint."""

from sezzlee_py.toolkit.engine import Engine, ThreadEngine
from sezzlee_py.toolkit.sezzlee import Sezzlee

__all__ = ["Engine", "Sezzlee", "ThreadEngine"]
