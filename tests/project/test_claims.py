"""Each claim of ``notebooks/claims.toml`` is in its chapter, and its run gives its numbers."""

import re
from collections import Counter
from math import isclose

import pytest

from tools import claims as tool

FIELDS = {
    "id", "chapter", "quote", "value", "interval", "says", "also", "n", "seeds", "equal",
    "constants", "other", "exact", "hardware", "source", "data", "expression", "command",
    "minutes", "doubt",
}  # fmt: skip
CLAIMS = tool.claims()
IDS = [claim["id"] for claim in CLAIMS]
STORED = [claim for claim in CLAIMS if claim.get("source") in ("cell", "stored")]
each_claim = pytest.mark.parametrize("claim", CLAIMS, ids=IDS)

WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
WORDS = {word: n for n, word in enumerate(WORDS, 2)}
WORDS |= {"twenty": 20, "thirty": 30, "fifty": 50, "sixty": 60, "seventy": 70, "hundred": 100}
PARTS = {"half": 2, "third": 3, "quarter": 4, "sixth": 6, "tenth": 10, "hundredth": 100}


def numbers_of(quote):
    """The numbers in a sentence; for each, the values that it may stand for.

    A part in words, "a quarter", may stand for 4, 0.25 or 25 (percent).
    """
    found = [(tool.number(text),) for text in re.findall(rf"(?<![A-Za-z_]){tool.NUMBER}", quote)]
    found += [(0.5,) for _ in re.findall("½", quote)]
    words = re.findall(r"[a-z]+", quote.replace("Connect Four", "").lower())
    for word, behind in zip(words, [*words[1:], ""], strict=True):
        if word in WORDS:
            found.append((float(WORDS[word] * (1000 if behind == "thousand" else 1)),))
    for word in re.findall(r"\b(?:a|an|one) (\w+)|\b(half)\b|\w+ (\w+)s\b", quote.lower()):
        if n := PARTS.get("".join(word)):
            found.append((float(n), 1 / n, 100 / n))
    return found


def known_numbers(claim):
    """All numbers that the other fields of a claim give, without their signs."""
    fields = ("value", "interval", "also", "n", "seeds")
    found = [x for name in fields if name in claim for x in tool.flat(claim[name])]
    for name in ("says", "equal", "constants"):
        found += [tool.number(text) for text in re.findall(tool.NUMBER, claim.get(name, ""))]
    return [abs(x) for x in found]


def misstated(claim):
    """The numbers of the quote that no field has, and those of ``value`` that it does not say."""
    known = known_numbers(claim)
    quoted = numbers_of(claim["quote"])
    missing = [may for may in quoted if not any(isclose(abs(x), y) for x in may for y in known)]
    said = [abs(x) for may in quoted for x in may]
    if "says" not in claim:
        missing += [x for x in tool.flat(claim.get("value", [])) if abs(x) not in said]
    return missing


def test_ids_are_unique_and_chapters_in_order():
    assert [name for name, times in Counter(IDS).items() if times > 1] == []
    assert all(claim["id"].startswith(claim["chapter"] + "-") for claim in CLAIMS)
    assert [claim["chapter"] for claim in CLAIMS] == sorted(claim["chapter"] for claim in CLAIMS)
    assert {claim["chapter"] for claim in CLAIMS} == {f"{n:02}" for n in range(17)}


@each_claim
def test_fields(claim):
    assert claim.keys() <= FIELDS
    assert {"id", "chapter", "quote"} <= claim.keys()
    assert "source" in claim or "doubt" in claim, "A claim without a run is in doubt."
    needed = {"cell": {"data"}, "stored": {"data", "expression"}, "run": {"command", "data"}}
    assert needed.get(claim.get("source"), set()) <= claim.keys()
    assert claim.get("source", "cell") in needed


@each_claim
def test_the_chapter_has_the_quote_once_and_its_numbers_are_those_of_the_file(claim):
    source, _ = tool.chapter(claim["chapter"])
    assert source.count(tool.plain(claim["quote"])) == 1
    assert misstated(claim) == []


@each_claim
def test_the_value_is_as_the_sentence_says(claim):
    if "says" in claim and not claim.get("doubt", "").startswith("Wrong"):
        assert tool.evaluated(claim["says"], v=claim["value"])


@pytest.mark.parametrize("claim", STORED, ids=[claim["id"] for claim in STORED])
def test_outputs_and_stored_data_give_the_value(claim):
    assert tool.verdict(claim, tool.observed(claim)).startswith(("equal", "as it says"))


def test_a_changed_number_is_noticed():
    for claim in CLAIMS:
        for number in re.findall(r"(?<![A-Za-z_])\d[\d,]*", claim["quote"]):
            other = str(int(number.replace(",", "")) + 7919)
            changed = claim | {"quote": claim["quote"].replace(number, other, 1)}
            source, _ = tool.chapter(claim["chapter"])
            assert tool.plain(changed["quote"]) not in source
            assert misstated(changed), claim["id"]
