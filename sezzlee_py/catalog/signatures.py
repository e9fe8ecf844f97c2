"""What a function says of its parameters, as far as it can be evaluated.

From Python 3.14 on an annotation is evaluated when it is asked for, and raises where its name is
imported for type checkers alone.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any, ForwardRef

if sys.version_info >= (3, 14):
    from annotationlib import Format

    _AS_FAR_AS_KNOWN: Mapping[str, Any] = {"annotation_format": Format.FORWARDREF}
else:
    _AS_FAR_AS_KNOWN: Mapping[str, Any] = {}


def parameters_of(function: object) -> tuple[inspect.Parameter, ...]:
    """Return the parameters of a callable, in order; of one that cannot be asked none.

    An annotation that is written as text, or that cannot be evaluated, is its text.
    """
    # Proxies and signatures that a host sets by itself raise whatever they like.
    try:
        signature = inspect.signature(function, **_AS_FAR_AS_KNOWN)  # type: ignore[arg-type]
    except Exception:
        return ()
    return tuple(map(_told, signature.parameters.values()))


def annotations_of(function: object) -> dict[str, Any]:
    """Return the annotations of a callable's parameters by their names; see `parameters_of`."""
    return {
        parameter.name: parameter.annotation
        for parameter in parameters_of(function)
        if parameter.annotation is not inspect.Parameter.empty
    }


def _told(parameter: inspect.Parameter) -> inspect.Parameter:
    annotation = parameter.annotation
    if isinstance(annotation, ForwardRef):
        return parameter.replace(annotation=annotation.__forward_arg__)
    return parameter
