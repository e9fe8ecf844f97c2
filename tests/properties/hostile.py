"""Values that try to be something else: what an agent, or a provider's token, could hold."""

import os
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from sezzlee_py.model.values import without_lone_surrogates

SIGNS = (
    "/\\.%?#&=+;,:|[]{}()'\"<>@!$*~-_ \t\r\n\0\x0b\x1f\x7f\x85"
    "\u2028\u202e\u200b\ufeffaé日😀\ud800\udfff"
)
WHOLE = ["", ".", "..", "../admin", "%2e%2e/admin", "a/b", "a?x=1#y", "\r\nX-Admin: 1", "a; b=c"]


def examples(count: int) -> settings:
    """`count` examples; SEZZLEE_EXAMPLES multiplies them, for a long run."""
    factor = int(os.environ.get("SEZZLEE_EXAMPLES", "1"))
    return settings(max_examples=count * factor, deadline=None)


texts = st.one_of(
    st.sampled_from(WHOLE),
    st.text(SIGNS, max_size=12),
    st.text(max_size=12),
    st.text(SIGNS, min_size=1, max_size=3).map(lambda text: text * 20),
)

numbers: Any = st.one_of(
    st.integers(),
    st.integers(min_value=2**53, max_value=10**40),
    st.floats(allow_nan=False, allow_infinity=False),
)

json_values: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


def clean(text: str) -> str:
    """What arrives of a text: all but surrogates without a partner."""
    return without_lone_surrogates(text)
