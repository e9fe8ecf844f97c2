"""The page in a real browser: `make explorer-test`, with Debian's `chromium` and its driver."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sezzlee_py.cli.host import Host
from sezzlee_py.explorer.serving import server_of
from tests.explorer.shop import MARKUP, TOKEN, make_fastapi

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
# Where `npm install --prefix build/axe axe-core` puts it.
AXE = Path(os.environ.get("AXE_CORE", "build/axe/node_modules/axe-core/axe.min.js"))
SHOTS = os.environ.get("EXPLORER_SHOTS")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, NARROW = (1280, 900), (390, 844)
VIEWS = ("#tools", "#tools/cancel_order", "#search/list%20orders", "#findings", "#cost")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no chromium with its driver"),
    pytest.mark.skipif(find_spec("selenium") is None, reason="no selenium"),
]


class Page:
    """The explorer in a browser of its own."""

    def __init__(self, url: str, profile: Path, size: tuple[int, int], scheme: str) -> None:
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(executable_path=str(DRIVER))
        self.url = url
        self.browser = webdriver.Chrome(options=options, service=service)
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        scheme_feature = {"name": "prefers-color-scheme", "value": scheme}
        self._command("Emulation.setDeviceMetricsOverride", metrics)
        self._command("Emulation.setEmulatedMedia", {"features": [scheme_feature]})
        self.browser.get(url)
        self.until("document.querySelector('.list')")

    def _command(self, name: str, parameters: dict[str, Any]) -> None:
        self.browser.execute_cdp_cmd(name, parameters)

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a script returns."""
        return self.browser.execute_script(script, *arguments)

    def until(self, claim: str) -> Any:
        """Wait for an expression to hold, and return it."""
        from selenium.webdriver.support.wait import WebDriverWait

        wait = WebDriverWait(self.browser, 10, poll_frequency=0.05)
        return wait.until(lambda _: self.run(f"return {claim}"), f"never true: {claim}")

    def open(self, view: str) -> None:
        """Go to a view and wait for what it asks."""
        self.run("location.hash = arguments[0]", view)
        if view.startswith("#tools/"):
            self.until("document.querySelector('.detail h2, .detail .alert')")
        elif view.startswith("#search"):
            self.until("document.querySelector('.results .hint')")
        else:
            self.until("document.querySelector('main h2')")

    def become(self, headers: str) -> None:
        """See as the caller with these headers."""
        self.run(
            "document.getElementById('caller-headers').value = arguments[0];"
            "document.getElementById('caller-form').requestSubmit()",
            headers,
        )
        self.until("document.getElementById('caller-name').textContent.includes('authorization')")

    def text(self, selector: str) -> str:
        """Return the text of the first element."""
        found: str = self.run("return document.querySelector(arguments[0]).innerText", selector)
        return found

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def shoot(self, name: str) -> None:
        """Keep a picture, where pictures are wanted."""
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(f"{SHOTS}/{name}.png")

    def problems(self) -> list[str]:
        """Return what the browser complained about since it was last asked."""
        log: Any = self.browser
        return [entry["message"] for entry in log.get_log("browser")]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    host = Host(make_fastapi())
    host.start()
    with server_of(host) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
    host.stop()


@pytest.fixture
def open_page(url: str, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    opened: list[Page] = []

    def open_one(size: tuple[int, int] = WIDE, scheme: str = "light") -> Page:
        opened.append(Page(url, tmp_path / str(len(opened)), size, scheme))
        return opened[-1]

    yield open_one
    for page in opened:
        page.browser.quit()


def test_a_caller_searches_reads_and_calls(open_page: Callable[..., Page]) -> None:
    page = open_page()
    assert "sees 3 of 4 tools" in page.text("#caller")
    page.become(f"Authorization: {TOKEN}")
    assert "sees 4 of 4 tools" in page.text("#caller")
    page.open("#search/refund")
    page.run("document.querySelector('.hits details').open = true")
    assert "search_terms" in page.text(".hits li")
    page.open("#tools/cancel_order")
    page.run("document.getElementById('argument-order_id').value = '7'")
    page.run("document.querySelector('form.call').requestSubmit()")
    page.until("document.querySelector('.answer pre')")
    assert "answered with 200" in page.text(".outcome")
    assert '"cancelled": 7' in page.text(".answer")
    assert page.problems() == []


def test_a_header_that_no_call_carries_is_told(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.become(f"Authorization: {TOKEN}\nX-API-Key: k-ada")
    assert page.text("#caller-left").startswith("x-api-key is no carrier, so calls go without it")
    page.become(f"Authorization: {TOKEN}")
    page.until("document.getElementById('caller-left').hidden")
    assert page.problems() == []


def test_a_listing_without_a_query_shows_no_scores(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.open("#search")
    page.until("document.querySelectorAll('.hits li').length > 1")
    assert page.run("return document.querySelectorAll('.hits .score').length") == 0


def test_every_kind_of_argument_is_sent_as_it_is_meant(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.open("#tools/list_orders")
    values = {"state": '"shipped"', "limit": "2", "mine": "false"}
    for name, value in values.items():
        page.run(
            "document.getElementById(`argument-${arguments[0]}`).value = arguments[1]", name, value
        )
    page.run("document.querySelector('form.call').requestSubmit()")
    page.until("document.querySelector('.answer pre')")
    sent = page.run("return JSON.parse(document.querySelector('.answer pre').textContent)")
    assert sent == {"state": "shipped", "limit": 2, "mine": False}


def test_a_choice_that_may_be_null_is_chosen_and_not_typed(open_page: Callable[..., Page]) -> None:
    page = open_page()
    choice = {"anyOf": [{"type": "string", "enum": ["low", "high"]}, {"type": "null"}]}
    either = {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}
    properties = {"priority": choice, "owner": either}
    tool = {"name": "change", "annotations": {}}
    controls = page.run(
        "return import('./static/call.js').then(({ callForm }) =>"
        " [...callForm(arguments[0]).querySelectorAll('select, textarea, input')].map((control) =>"
        " [control.id, control.localName, [...(control.options ?? [])].map((one) => one.value)]))",
        {**tool, "loaded": {"inputSchema": {"type": "object", "properties": properties}}},
    )
    # The driver sends the properties in an order of its own.
    assert sorted(controls) == [
        ["argument-owner", "textarea", []],
        ["argument-priority", "select", ["", '"low"', '"high"']],
    ]


def test_a_long_name_in_the_list_breaks_at_its_words(open_page: Callable[..., Page]) -> None:
    page = open_page()
    lines = page.run(
        "const name = document.querySelector('.names a[href$=cancel_order] .name');"
        "Object.assign(name.style, { display: 'block', width: '7ch', fontFamily: 'monospace' });"
        "const words = [...name.childNodes].filter((node) => node.data);"
        "const range = document.createRange();"
        "return words.map((word) => {"
        " range.selectNode(word); return [word.data, range.getClientRects().length]; })"
    )
    assert lines == [["cancel_", 1], ["order", 1]]
    assert page.text(".names a[href$=cancel_order] .name") == "cancel_order"


def test_nothing_of_the_application_becomes_html(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.become("Authorization: x")
    page.open("#search/show")
    page.open("#tools/show_markup")
    page.run("document.getElementById('argument-text').value = arguments[0]", MARKUP)
    page.run("document.querySelector('form.call').requestSubmit()")
    page.until("document.querySelector('.answer pre')")
    assert MARKUP in page.text(".detail .description")
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0
    assert "owned" not in page.browser.title


def test_the_browser_refuses_inline_and_foreign_code(open_page: Callable[..., Page]) -> None:
    page = open_page()
    refusals = """
        const refused = {};
        const made = document.createElement('div');
        try { made.innerHTML = '<b>x</b>'; refused.html = false } catch { refused.html = true }
        const inline = document.createElement('style');
        inline.textContent = 'body { display: none }';
        document.head.append(inline);
        refused.style = getComputedStyle(document.body).display !== 'none';
        inline.remove();
        const done = arguments[0];
        fetch('http://127.0.0.1:9/x').then(() => done(refused), () => {
            refused.foreign = true; done(refused);
        });
    """
    refused = page.browser.execute_async_script(refusals)
    assert refused == {"html": True, "style": True, "foreign": True}
    assert any("Content Security Policy" in text for text in page.problems())


def test_no_request_leaves_for_anywhere_else(open_page: Callable[..., Page]) -> None:
    page = open_page()
    for view in VIEWS:
        page.open(view)
    names = "return performance.getEntriesByType('resource').map((entry) => entry.name)"
    assert [name for name in page.run(names) if not name.startswith(page.url)] == []


def test_the_keyboard_reaches_everything(open_page: Callable[..., Page]) -> None:
    from selenium.webdriver import Keys

    page = open_page()
    focused = "document.activeElement.innerText || document.activeElement.id"
    page.press(Keys.TAB)
    assert page.run(f"return {focused}") == "Skip to the content"
    page.press("/")
    assert page.run(f"return {focused}") == "filter"
    page.press("cancel")
    page.until("document.querySelectorAll('.names a').length === 1")
    page.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER)
    page.until("document.querySelector('.detail h2')")
    assert page.text(".detail h2") == "cancel_order"
    page.run("document.querySelector('nav a[href=\"#search\"]').focus()")
    page.press(Keys.ENTER)
    page.until("document.getElementById('query')")
    page.press("/", "list orders")
    page.until("document.querySelector('.hits a')?.innerText === 'list_orders'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_view_fits_and_is_accessible(
    open_page: Callable[..., Page], size: tuple[int, int], scheme: str
) -> None:
    page = open_page(size, scheme)
    page.become(f"Authorization: {TOKEN}")
    for at, view in enumerate(VIEWS):
        page.open(view)
        page.run("document.querySelectorAll('.hits details').forEach((one) => { one.open = true })")
        page.shoot(f"{scheme}-{size[0]}-{at}")
        assert page.run("return document.documentElement.scrollWidth <= innerWidth"), view
        if AXE.is_file():
            page.run(AXE.read_text(encoding="utf-8"))
            found = page.browser.execute_async_script(
                "axe.run().then((result) => arguments[0](result.violations.map("
                "(one) => `${one.id}: ${one.nodes.map((node) => node.target).join(' ')}`)))"
            )
            assert (view, found) == (view, [])
