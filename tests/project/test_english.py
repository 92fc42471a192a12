"""Words that readers had to read twice, and that must not come back."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What stood for it, and the field's own word.
WORDS = {
    r"near-code": "pseudocode",
    r"soft-max": "softmax",
    r"To read on:": "See",
    r"right is .*, yours is": "the expected result is …; you returned …",
    r"\bgives? back\b|\bgave back\b|\bgiven back\b": "returns",
    r"games under way": "games in progress",
    r"dealt out": "distributed",
    r"kept networks?\b": "snapshot",
    r"begin(s|ning)? a run\b|began a run\b": "start a run",
    r"go(es)? on with a run": "resume a run",
    r"trees grow on": "the search runs on",
    r"of one's own|game of ones own": "a custom game",
    r"in the view of": "from the point of view of",
    r"upside down|turned round": "inverted, swapped",
    r"beside other (work|jobs)": "with other jobs running",
    r"[Oo]f equals,? the": "ties go to the",
    r"of equal (scores|visits|values),? take": "ties go to the",
    r"\bdeaf\b": "ignores",
    r"says? so in a sentence|with a sentence": "an error message",
    r"is wanted here": "must be",
    r"foreign file": "file from another program",
    r"must not be told": "must not be passed",
    r"is had\b|are had\b": "is available",
    r"learnt": "learned",
    r"colour|behaviour|optimis|normalis|recognis": "the American spelling",
    r"simulations a move|moves a second|games a second|visits a move": "per",
}
PROSE = [  # CONTRIBUTING quotes some of them
    ROOT / "README.md", ROOT / "SECURITY.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/*.md"),
    *ROOT.glob("benchmarks/*.md"), *ROOT.glob("azlearn/**/*.md"),
]  # fmt: skip
CODE = [
    *ROOT.glob("azlearn/**/*.py"),
    *ROOT.glob("azlearn/viz/static/*.js"),
    *ROOT.glob("solutions/*.ipynb"),
]


@pytest.mark.parametrize("word", WORDS)
def test_the_word_has_not_come_back(word):
    pattern = re.compile(word)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip():.90}"
        for path in (*PROSE, *CODE)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"write “{WORDS[word]}” instead:\n" + "\n".join(found)
