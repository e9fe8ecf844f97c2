"""The page's own files keep what its headers promise."""

import re
from html.parser import HTMLParser

from sezzlee_py.explorer.page import INDEX, SECURITY_HEADERS, page_files

FILES = {name: reply.body.decode() for name, reply in page_files().items()}


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.inline: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._inside = tag
        if tag in ("script", "link"):
            self.links.append(given.get("src") or given.get("href") or "")
        self.inline += [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style") and data.strip():
            self.inline.append(data)


def test_the_page_holds_no_inline_code_and_refers_to_its_own_files_alone() -> None:
    links = Links()
    links.feed(FILES[INDEX])
    assert links.inline == []
    assert {link.removeprefix("static/") for link in links.links} <= FILES.keys()


def test_every_module_imports_modules_that_are_there() -> None:
    for name, text in FILES.items():
        if name.endswith(".js"):
            imported = set(re.findall(r'from "\./([\w.]+)"', text))
            assert imported <= FILES.keys()


def test_no_script_turns_text_into_html_or_code() -> None:
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|srcdoc|"
        r"DOMParser|createContextualFragment|setAttribute\(\"on|import\("
    )
    assert {name for name, text in FILES.items() if forbidden.search(text)} == set()


def test_no_file_asks_anybody_else() -> None:
    foreign = re.compile(r"(?:https?:)?//(?!www\.w3\.org/2000/svg)[\w.-]+\.\w+|url\(|@import")
    assert {name for name, text in FILES.items() if foreign.search(text)} == set()


def test_the_policy_forbids_inline_and_foreign_code() -> None:
    policy = dict(SECURITY_HEADERS)["content-security-policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
