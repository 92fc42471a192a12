"""Rules that use functions of other files: compiled they say what they say in Python."""

import sys
from importlib import import_module

import numba
import pytest

from azlearn.games import specialize

HELPERS = """
from functools import cache

import deeper
from deeper import doubled

STEP, TABLE = 3, (5, 7)


def defaults(x, step=STEP, times=2):
    return x + step * times


def by_keyword(x: int, *, step: int = 10, times) -> int:
    return x + step * times


def by_name(x):
    return doubled(x) + deeper.doubled(x) + STEP


def looked_up(x):
    return x + TABLE[0] + TABLE[1]


@cache
def remembered(x):
    return x + 1


def stone(x):
    return x + 1000


def of_its_own(x):
    return stone(x)


def maker(step):
    def add(x):
        return x + step

    return add


Added = maker(6)
"""
RULES = """
import helpers
import helpers as other
from helpers import Added, by_keyword, by_name, defaults, looked_up, of_its_own, remembered

STEP = 100


def stone(x):
    return x + 1


def own(x, *, step=STEP):
    return x + step
"""
RIGHT = {  # worked out by hand, for x = 1
    "defaults(x)": 7,
    "defaults(x, times=1)": 4,
    "by_keyword(x, times=2)": 21,
    "by_name(x)": 7,
    "looked_up(x)": 13,
    "remembered(x)": 2,
    "of_its_own(x)": 1001,  # by its file's stone, not by that of the rules
    "Added(x)": 7,
    "other.by_name(x) + other.STEP": 10,
    "helpers.deeper.doubled(x)": 2,
    "own(x) + own(x, step=1)": 103,
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("helpers")
    asked = [f"def asked_{i}(x):\n    return {text}\n" for i, text in enumerate(RIGHT)]
    files = {
        "helpers": HELPERS, "deeper": "def doubled(x):\n    return 2 * x\n",
        "rules_with_helpers": "\n\n".join([RULES, *asked]),
    }  # fmt: skip
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield import_module("rules_with_helpers")
    sys.path.remove(str(folder))
    for name in files:
        del sys.modules[name]


@pytest.mark.parametrize("number", range(len(RIGHT)), ids=list(RIGHT))
def test_a_helper_is_compiled_with_the_rules(rules, number):
    right = list(RIGHT.values())[number]
    assert getattr(rules, f"asked_{number}")(1) == right
    assert getattr(specialize(rules, numba.njit), f"asked_{number}")(1) == right
