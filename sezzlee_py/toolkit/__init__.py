"""Wires one application: adapter, catalog, search, invoker and endpoint."""

from sezzlee_py.toolkit.engine import Engine
from sezzlee_py.toolkit.replicas import Change, ChangeBus
from sezzlee_py.toolkit.sezzlee import Sezzlee
from sezzlee_py.toolkit.thread_engine import ThreadEngine

__all__ = ["Change", "ChangeBus", "Engine", "Sezzlee", "ThreadEngine"]
