from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("psycopg")

from sezzlee_postgres import PostgresRanker, home
from sezzlee_postgres.home import Home
from sezzlee_py.search import RankCatalog


class NoRoom:
    """An upkeep that writes nothing."""

    async def bring(self, catalog: RankCatalog) -> Any:
        raise OSError("no room")


async def test_catalogs_that_could_not_be_written_are_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(home, "_REST_S", 0.0)
    upkeep: Any = NoRoom()
    at = Home(replace(PostgresRanker()._settings, upkeep=upkeep))
    for generation in range(20):
        with pytest.raises(OSError, match="no room"):
            await at.store(RankCatalog(version=f"{generation}", documents=()))
    assert list(at._writing) == ["19"]
