"""What an explorer showed is kept in the notebook beside its picture, and nothing else of it."""

import json
import re

import nbformat
import pytest

from azlearn.games import TicTacToe
from azlearn.viz import Explorer, compare, explore
from tools.notebooks import KIND, execute, faults, keep_states, kept_state

VIEW = "application/vnd.jupyter.widget-view+json"
STATES = "application/vnd.jupyter.widget-state+json"
GAME = TicTacToe()


def saved(*widgets):
    """A notebook as a server saves it: a view in each output, the states beside them."""
    outputs = [
        nbformat.v4.new_output("display_data", {VIEW: {"model_id": w.model_id}, "text/plain": "w"})
        for w in widgets
    ]
    states = {w.model_id: {"state": json.loads(json.dumps(w.get_state()))} for w in widgets}
    cell = nbformat.v4.new_code_cell("w", outputs=outputs)
    return nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {STATES: {"state": states}}})


def in_its_file(widget):
    """What the script of the widget's page starts with."""
    return json.loads(re.search(r'id="state">(.*?)</script>', widget.to_html(), re.S)[1])


def test_a_kept_explorer_makes_the_same_page():
    shown = explore(GAME, GAME.from_moves("15"), num_simulations=30)
    shown.step, shown.phase, shown.selected = 7, "expand", 2
    notebook = saved(shown)
    keep_states(notebook)
    kind, state = kept_state(notebook.cells[0].outputs[0].data)
    assert kind == "explorer"
    again = Explorer(state.pop("record"), **state)
    assert in_its_file(again) == in_its_file(shown)


def test_both_halves_of_a_comparison_are_kept():
    one, two = (explore(GAME, GAME.initial_state(), num_simulations=n) for n in (20, 30))
    notebook = saved(compare(one, two, ("a few", "more"), simulation=5))
    keep_states(notebook)
    kind, state = kept_state(notebook.cells[0].outputs[0].data)
    assert (kind, state["labels"], state["simulation"]) == ("comparison", ["a few", "more"], 5)
    assert [len(state[side]["steps"]["leaf"]) for side in ("left", "right")] == [20, 30]
    assert state["right"] == json.loads(json.dumps(two.record))


def test_other_outputs_have_nothing_to_keep():
    import ipywidgets

    notebook = saved(ipywidgets.IntSlider())
    keep_states(notebook)
    assert kept_state(notebook.cells[0].outputs[0].data) is None
    assert kept_state({"text/plain": "1"}) is None


@pytest.mark.slow
def test_executing_a_notebook_keeps_its_explorers_small(tmp_path):
    source = "from azlearn.games import TicTacToe\nfrom azlearn.viz import explore\n"
    source += "explore(TicTacToe(), TicTacToe().initial_state(), num_simulations=50)"
    path = tmp_path / "a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)
    execute(path)
    notebook = nbformat.read(path, as_version=4)
    (output,) = notebook.cells[0].outputs
    assert set(output.data) == {KIND, "text/html", "image/svg+xml", "text/plain"}
    assert len(kept_state(output.data)[1]["record"]["steps"]["leaf"]) == 50
    assert len(output.data[KIND]["state"]) < 5000
    assert "widgets" not in notebook.metadata
    assert faults(path) == []
