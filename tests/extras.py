"""Packages of extras that the oldest supported versions are tested without."""

from importlib.util import find_spec
from typing import Final

# By what they stand on.
EXTRAS: Final = {"sezzlee_redis": "redis", "sezzlee_postgres": "psycopg"}


def is_installed(package: str) -> bool:
    """Whether a package of this project can be imported here."""
    return package not in EXTRAS or find_spec(EXTRAS[package]) is not None
