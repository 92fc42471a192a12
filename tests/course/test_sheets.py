"""Sheets: what one may look like, and the sentence for one that is none."""

import pytest

from azlearn.course.sheets import changed, load_sheet, read_sheet

SHEET = """# Twice
id: 9.10
minutes: 4
difficulty: 1
function: twice(n)
section: 3 · Numbers
right: That is it: twice.

## Hints
Add.
---
`n + n`
---
In pseudocode:

    return n and n again

## Faults
### squared
- n + n ⇒ n * n
Add, do not multiply.
### forgotten
- return n + n
+ m = n
+ return m
Once more.
### no line
- return n + n
A value is asked for.
### from elsewhere
```python
def twice(n):
    return 4
```
Use `n`.
### a list
! : [
One number
is asked for.
### by hand
The check says so.
"""
SOLUTION = "def twice(n):\n    return n + n"


def test_everything_on_a_sheet():
    sheet = read_sheet(SHEET)
    assert (sheet.id, sheet.number, sheet.minutes, sheet.difficulty) == ("9.10", (9, 10), 4, 1)
    assert sheet.right == "That is it: twice."
    assert sheet.hints[2] == "In pseudocode:\n\n    return n and n again"
    assert sheet.read_on == "See chapter 9, section 3, “Numbers”."
    assert sheet.says("a list") == "One number is asked for."
    assert [fault.can_be_made for fault in sheet.faults] == [True] * 4 + [False] * 2
    assert (sheet.faults[4].key, sheet.faults[4].value, sheet.faults[5].key) == ("", "[", None)
    assert [fault.source(SOLUTION) for fault in sheet.faults[:4]] == [
        "def twice(n):\n    return n * n",
        "def twice(n):\n    m = n\n    return m",
        "def twice(n):\n    pass",
        "def twice(n):\n    return 4",
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("## Hints\n", "", "then '## Hints', then '## Faults'"),
        ("minutes: 4\n", "", "one line for each of id, minutes"),
        ("minutes: 4\n", "minute: 4\n", "one line for each of id, minutes"),
        ("# Twice\n", "Twice\n", "the head needs '# title'"),
        ("---\n`n + n`\n", "", "there must be three hints separated by '---', not 2"),
        ("3 · Numbers", "Numbers", "the section must be a number"),
        ("Add, do not multiply.\n", "", "the fault 'squared' has no sentence"),
    ],
)
def test_a_sheet_with_something_missing_says_what(tmp_path, old, new, words):
    path = tmp_path / "twice.md"
    assert old in SHEET
    path.write_text(SHEET.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^twice\.md: ") as problem:
        load_sheet(path)
    assert words in str(problem.value)


@pytest.mark.parametrize(("old", "number"), [("m + n", 0), ("n", 2)])
def test_a_text_to_replace_is_there_exactly_once(old, number):
    with pytest.raises(ValueError, match=f"must be in exactly one line, not in {number}"):
        changed(SOLUTION, [(old, "x")])
