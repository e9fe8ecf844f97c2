from sezzlee_py.invoke.emit import call_tool_result
from sezzlee_py.model import Emission

ANSWER = Emission(text='{"status":200}', payload={"status": 200})


def test_an_answer_is_one_text_block() -> None:
    assert call_tool_result(ANSWER) == {"content": [{"type": "text", "text": '{"status":200}'}]}


def test_an_error_says_so() -> None:
    error = Emission(text="{}", payload={}, is_error=True)
    assert call_tool_result(error) == {
        "content": [{"type": "text", "text": "{}"}],
        "isError": True,
    }


def test_structured_content_stands_beside_the_text() -> None:
    assert call_tool_result(ANSWER, structured={}) == {
        "content": [{"type": "text", "text": '{"status":200}'}],
        "structuredContent": {},
    }
