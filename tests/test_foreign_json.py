"""JSON from anywhere: it comes back as it is, or is refused in one sentence."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azlearn.foreign_json import DamagedFile, read_json

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
SHAPES = st.recursive(
    st.sampled_from([int, float, str, bool, None, object]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=1)
        | st.dictionaries(st.sampled_from(["a", "b?", str]), inner)
        | st.tuples(inner, inner)
    ),
)


def refusal(content, shape=object):
    with pytest.raises(DamagedFile) as caught:
        read_json(content, shape, "a.json")
    message = str(caught.value)
    assert message.startswith("a.json is damaged or foreign (")
    assert len(message.splitlines()) == 1
    return message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"{'a': 1}", "no JSON"),
        (b'"\xff"', "not UTF-8"),
        (b'"\\ud800"', "not UTF-8"),
        ("\ud800", "no JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deep"),
        (b"9" * 100_000, "no JSON"),
    ],
    ids=lambda part: str(part)[:20],
)
def test_what_is_no_json_is_refused(content, said):
    assert said in refusal(content)


@pytest.mark.parametrize(
    ("content", "shape", "said"),
    [
        ("7", {}, "it must be an object with names, not 7"),
        ("{}", {"format": str}, "format is missing"),
        ('{"a": {"n": "x"}}', {"a": {"n": int}}, "a.n must be a whole number, not 'x'"),
        ('{"a": true}', {"a": int}, "a must be a whole number, not True"),
        ('{"a": 1.0}', {"a": int}, "a must be a whole number, not 1.0"),
        ('{"a": 9223372036854775808}', {"a": int}, "a must be a whole number"),
        ('{"a": NaN}', {"a": float}, "a must be a finite number, not nan"),
        ('{"a": 1e999}', {"a?": float}, "a must be a finite number, not inf"),
        ('{"a": 1' + "0" * 400 + "}", {"a": float}, "a must be a finite number, not 1000"),
        ('{"a": [1, 2, []]}', {"a": [int]}, "a[2] must be a whole number, not []"),
        ('{"a": "0", "b": 1}', {str: str}, "b must be text, not 1"),
        ('{"a": "x"}', {"a": (float, None)}, "a must be a finite number, not 'x'"),
        ('{"a": 0}', {"a": bool}, "a must be true or false, not 0"),
        ('{"a\\nb": 1}', {str: str}, "'a\\nb' must be text"),
        ('{"a": 1}', {"a": None}, "a must be null, not 1"),
    ],
)
def test_what_has_another_shape_is_refused(content, shape, said):
    assert said in refusal(content, shape)
    assert len(refusal(content, shape)) < 200


def test_what_has_the_shape_comes_back(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"n": 3, "x": 1, "minutes": null, "other": [1, "\\u00e9"]}')
    value = {"n": 3, "x": 1, "minutes": None, "other": [1, "é"]}
    shape = {"n": int, "x": float, "minutes": (float, None), "missing?": str}
    assert read_json(path, shape) == read_json(path.read_text("utf-8"), shape) == value
    path.write_text("[")
    with pytest.raises(DamagedFile, match=str(path)):
        read_json(path)
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "b.json")


@given(st.binary() | st.text() | ANY.map(json.dumps), SHAPES)
def test_whatever_comes_there_is_a_value_or_a_sentence(content, shape):
    with suppress(DamagedFile):
        read_json(content, shape)
        return
    refusal(content, shape)
