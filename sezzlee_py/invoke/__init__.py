"""One call of one tool, from arguments to an answer; here are the names a host's callbacks use."""

from sezzlee_py.invoke.fills import MISSING, FillContext, Operation
from sezzlee_py.invoke.refs import FileRefusal, FileRequest, ResolvedFile

__all__ = [
    "MISSING",
    "FileRefusal",
    "FileRequest",
    "FillContext",
    "Operation",
    "ResolvedFile",
]
