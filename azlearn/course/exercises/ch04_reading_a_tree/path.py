"""A path by hand (4.1). The statement's table is a search of the package after 36 simulations."""

import re

from azlearn.course.checking import Call
from azlearn.course.comparing import Wrong
from azlearn.course.kit import FOUR, as_list, show
from azlearn.course.results import UNRECOGNISED
from azlearn.course.sheets import Sheet
from azlearn.search import random_rollout, record_search, uct

# Columns 2, 3, 5 and 6 are full: 1, 4 and 7 are open, to the top. Red is to move.
TAKES_VALUE = True
MOVES = "632322526666355336255532"
NUM_SIMULATIONS, SEED = 36, 0
RIGHT = "74771"  # by hand: the scores are in the solution


def check(call: Call, sheet: Sheet) -> str:
    path = as_columns(call(shown="the table above"), sheet)
    if path == RIGHT:
        return sheet.right
    text, rows = f"Your path is {path}", [("path", RIGHT[:1] + "…", path)]
    for fault in sheet.faults:
        if path == fault.value:
            raise Wrong(fault.name, f"{text}. {fault.says}", rows)
    for place, column in enumerate(path, 1):
        if column not in "147":
            name = "plays in a column that is not open"
            what = "is full" if column in "2356" else "does not exist"
            text = f"{text}: column {column}, its move {place}, {what}. {sheet.says(name)}"
            raise Wrong(name, text)
    begun = next((i for i in range(min(len(path), 5)) if path[i] != RIGHT[i]), None)
    if begun is None:
        how = f"has {len(path)} moves, which is the wrong number"
    elif begun:
        well = RIGHT[:begun]
        how = f"begins well, with {well}. The choice after {well} is not {path[begun]}"
    else:
        how = "is wrong from its first move, at the root"
    again = (
        "At each node, compute the three scores with the ΣN of that node. Among untried moves, take "
        "the lowest column."
    )
    raise Wrong(UNRECOGNISED, f"Your path {path} {how}. {again}")


def as_columns(given, sheet: Sheet) -> str:
    """ "74771" from a string, a number or a list of columns."""
    parts = as_list(given)
    text = str(given) if parts is None else "".join(map(show, parts))
    path = re.sub(r"[\s,;>→-]", "", text)
    if not re.fullmatch("[0-9]{1,20}", path):
        name = "does not give a string of columns"
        raise Wrong(name, f"You gave {show(given):.60}. {sheet.says(name)}")
    return path


def explore(call, diagnosis):
    """The search of the table; with one simulation more when its path has been found."""
    state = FOUR.from_moves(MOVES)
    simulations = NUM_SIMULATIONS + (not diagnosis)
    return record_search(FOUR, state, uct(1.0), random_rollout(), simulations, SEED)


def remark(found):
    return (
        f"\n\nThe search below is the one in the table, after {NUM_SIMULATIONS} simulations. Click a "
        "node to see its line; simulation 37 is yours to find."
    )
