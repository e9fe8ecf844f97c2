"""Under which scope and since when a caller's view is known."""

from sezzlee_py.callers.cache import CLEAR, CallerCache
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.views import CallerViews
from sezzlee_py.callers.visibility import Viewer
from sezzlee_py.invoke.runtime import LoopRuntime
from sezzlee_py.options import Options

CALLER = McpCaller(fields=(("authorization", "Bearer ada"),))


class Bench:
    """The views of a host that counts how often it is asked who calls."""

    def __init__(self) -> None:
        self.asked = 0
        options, runtime = Options(visibility={"identity": self._identity}), LoopRuntime()
        self.cache = CallerCache(options.cache, runtime)
        self.views = CallerViews(options, runtime, self.cache)

    def _identity(self, _: McpCaller) -> str:
        self.asked += 1
        return "present"


async def test_for_a_catalog_that_was_replaced_nothing_is_kept_or_read() -> None:
    bench, viewer = Bench(), Viewer(())
    kept = await bench.views.sight(viewer, CALLER, lambda: True)
    stale = await bench.views.sight(viewer, CALLER, lambda: False)
    assert (kept.scope, stale.scope) == (CallerScope(CALLER.scope_key), None)
    assert bench.asked == 2


async def test_a_reload_after_the_catalog_was_compared_leaves_nothing_to_keep() -> None:
    bench, viewer = Bench(), Viewer(())

    def is_current() -> bool:
        bench.cache.invalidate(CLEAR)
        return True

    sight = await bench.views.sight(viewer, CALLER, is_current)
    assert sight.epoch < bench.cache.epoch
    await bench.views.sight(viewer, CALLER, lambda: True)
    assert bench.asked == 2
