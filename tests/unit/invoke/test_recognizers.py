import pytest
from werkzeug.exceptions import HTTPException, abort, default_exceptions

from sezzlee_py.invoke.field_names import FieldNames
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.invoke.recognizers import Recognized, ReportedField, werkzeug_page
from sezzlee_py.model import BackendResponse


def page(status: int, description: str | None = None) -> bytes:
    with pytest.raises(HTTPException) as caught:
        abort(status, description) if description is not None else abort(status)
    return caught.value.get_body().encode()


def message(status: int, body: bytes) -> str | None:
    """What `werkzeug_page` adds to the standard message."""
    headers = (("content-type", "text/html; charset=utf-8"),)
    response = BackendResponse(status=status, headers=headers, body=body)
    told = map_response(response, FieldNames(), recognizers=(werkzeug_page,)).payload["message"]
    plain = map_response(response, FieldNames()).payload["message"]
    return None if told == plain else str(told)


def test_the_words_of_a_view_are_forwarded() -> None:
    assert message(404, page(404, "No order 4712 <here> & now.\nTry 'again'")) == (
        "No order 4712 <here> & now.\nTry 'again'"
    )


@pytest.mark.parametrize("status", sorted(s for s in default_exceptions if s != 401))
def test_a_stock_page_says_nothing(status: int) -> None:
    assert message(status, page(status)) is None


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, page(500, "Database is down.")),
        (401, page(401, "Session store failed.")),
        (409, page(404, "No order 4712.")),
        (404, page(404, "No order 4712.") + b"<p>more</p>"),
        (404, page(404, "No order 4712.").replace(b"<p>", b"<p><b>")),
        (404, page(404, "")),
        (404, page(404, "see /home/app/orders")),
        (404, b"<html><p>No order 4712.</p></html>"),
        (404, b"No order 4712."),
    ],
)
def test_any_other_page_is_withheld(status: int, body: bytes) -> None:
    assert message(status, body) is None


def test_a_recogniser_found_something_when_there_is_a_word_or_a_field() -> None:
    assert not any(map(bool, [Recognized(), Recognized(message=""), Recognized(message=" \n")]))
    assert Recognized(message="m")
    assert Recognized(fields=(ReportedField(message=""),))


def test_a_key_in_dotted_notation_makes_a_field() -> None:
    assert ReportedField.of("items[0].price", "m") == ReportedField(
        message="m", path=("items", 0, "price")
    )
