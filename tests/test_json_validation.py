"""JSON from anywhere: it comes back as it is, or is refused in one sentence."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azlearn.json_validation import CorruptFileError, read_json

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
SHAPES = [{}, [int], {"a": float, str: (str, None)}, {"b?": {"a": [bool]}}]


def refusal(content, shape=object):
    with pytest.raises(CorruptFileError) as caught:
        read_json(content, shape, "a.json")
    message = str(caught.value)
    assert message.startswith("a.json is damaged or not from azlearn (")
    assert len(message.splitlines()) == 1
    assert len(message) < 200
    return message


@pytest.mark.parametrize(
    ("content", "shape", "said"),
    [
        (b"{", object, "not JSON"),
        (b'"\xff"', object, "not UTF-8"),
        (b'"\\ud800"', object, "not UTF-8"),
        (b"[" * 100_000, object, "nested too deep"),
        (b"9" * 100_000, object, "not JSON"),
        (b'{"a": NaN}', object, "not JSON: NaN"),
        ("{}", {"format": str}, "must contain ['format']"),
        ('{"a": {"n": "x"}}', {"a": {"n": int}}, "it.a.n must be integer"),
        ('{"a": true}', {"a": int}, "it.a must be integer"),
        ('{"a": 9223372036854775808}', {"a": int}, "it.a must be smaller"),
        ('{"a": 1e999}', {"a?": float}, "it.a must be smaller"),
        ('{"a": [1, 2, []]}', {"a": [int]}, "it.a[2] must be integer"),
        ('{"a": "x"}', {"a": (float, None)}, "it.a must be number or null"),
    ],
    ids=lambda part: str(part)[:20],
)
def test_what_is_no_json_or_has_another_shape_is_refused(content, shape, said):
    assert said in refusal(content, shape)


def test_what_has_the_shape_comes_back(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"n": 3, "x": 1, "minutes": null, "other": [1, "\\u00e9"]}')
    value = {"n": 3, "x": 1, "minutes": None, "other": [1, "é"]}
    shape = {"n": int, "x": float, "minutes": (float, None), "missing?": str}
    assert read_json(path, shape) == read_json(path.read_text("utf-8"), shape) == value
    path.write_text("[")
    with pytest.raises(CorruptFileError, match=str(path)):
        read_json(path)
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "b.json")


@given(st.binary() | st.text() | ANY.map(json.dumps), st.sampled_from(SHAPES))
def test_whatever_comes_there_is_a_value_or_a_sentence(content, shape):
    with suppress(CorruptFileError):
        read_json(content, shape)
        return
    refusal(content, shape)
