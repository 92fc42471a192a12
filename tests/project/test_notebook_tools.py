"""`execute` keeps outputs and nothing that changes between runs; `check` finds planted faults."""

import base64
import io
import json
import re

import ipywidgets
import nbformat
import pytest

from azlearn.games import TicTacToe
from azlearn.progress_bar import progress_bar
from azlearn.viz import Explorer, compare, explore
from tools.notebooks import KIND, clean, execute, faults, keep_states, kept_state, main, source_hash

ALT = '<img alt="a tree" src="data:image/png;base64,AAAA">'
PNG = base64.b64encode(b"\x89PNG").decode()
WIDGET = "application/vnd.jupyter.widget-view+json"


def code(source, outputs=(), **metadata):
    cell = nbformat.v4.new_code_cell(source, outputs=list(outputs), execution_count=1)
    cell.metadata.update({"azlearn": {"source": source_hash(source)}, **metadata})
    return cell


def folded(source):
    return code(source, jupyter={"source_hidden": True})


def shown(**data):
    kinds = {"html": "text/html", "png": "image/png", "plain": "text/plain", "widget": WIDGET}
    return nbformat.v4.new_output("display_data", {kinds[kind]: data[kind] for kind in data})


def printed(text):
    return nbformat.v4.new_output("stream", text=text)


def failed(name):
    return nbformat.v4.new_output("error", ename=name, evalue="", traceback=[])


RAW = "Markdown is not rendered inside HTML; end it with an empty line:"


def words(source):
    return nbformat.v4.new_markdown_cell(source)


def save(tmp_path, *cells, name="a.ipynb", **metadata):
    path = tmp_path / name
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells), metadata=metadata), path)
    return path


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        (words("![](a.png)"), "a picture without alt text"),
        (words('<img alt="" src="a.png">'), "a picture without alt text"),
        (words("[next](01_nowhere.ipynb)"), "dead link 01_nowhere.ipynb"),
        (words("<img alt='a tree' src='no.png'>"), "dead link no.png"),
        (words("<details>\nYes.\n</details>\n## Next"), f"{RAW} ## Next"),
        (words("Look:\n<p>It is **bold**.</p>"), f"{RAW} **bold**.</p>"),
        (words("<details>\nAs $P_a$ says\n</details>"), f"{RAW} $P_a$ says"),
        (code("1", [shown(png=PNG)]), "a picture without a text/html twin"),
        (code("1", [shown(html="<img src='x'>")]), "an <img> without alt text"),
        (code("1", [failed("KeyError")]), "a stored error: KeyError"),
        (code("1", [printed("in /home/me/azlearn/a.py:3")]),
         "an output contains a path of the machine it ran on: /home/me/azlearn/a.py"),
        (code("1", [shown(plain="3 of 19 exercises right, 0 of 7 cases")]),
         "progress over 19 exercises, but the course has "),
        (code("2", azlearn={"source": source_hash("1")}), "edited after its output"),
        (folded("x = 1\n# Draws x."), "folded, but its first line, the only visible one,"),
        (folded("# Draws x" + 50 * " and x"), "folded, but its first line is too long"),
        (code("1", azlearn={}), "never run"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(tmp_path, cell, fault):
    (tmp_path / "a.png").write_bytes(b"")
    (found,) = faults(save(tmp_path, cell))
    assert found.startswith(f"cell 0: {fault}")


def test_a_control_whose_function_uses_a_name_that_changes_later_is_found(tmp_path):
    cells = (
        code("kept = [1]\ndef rate(c): return kept[c]"),
        code("with_controls(lambda c=0: rate(c), c=(0, 1))"),
        code("for row in (1, 2): kept = row"),
    )
    (found,) = faults(save(tmp_path, *cells))
    assert found == "cell 1: its control uses kept, which cell 2 replaces"
    fine = code("print([kept for kept in (1, 2)])"), code("def own():\n    kept = 2")
    assert faults(save(tmp_path, *cells[:2], *fine)) == []


def test_what_is_right_passes(tmp_path):
    (tmp_path / "b c.png").write_bytes(b"")
    path = save(
        tmp_path,
        words("![a tree](b%20c.png) [up](..) [net](https://example.org/x) [here](#part)"),
        words("<details><summary>So?</summary>\n\n**Yes**, $a$.\n\n</details>\n\n## Next"),
        words("`q[a](x)` and\n```\n![](never.png)\n```\n<img src='b%20c.png' alt='a tree'>"),
        code("1", [shown(png=PNG, html=ALT, plain="tree"), shown(html="<a href='/x/y'>z</a>")]),
        code("# nothing to see", [printed("1/2 and 3/4/5 /7")]),
        code("1/0", [failed("E")], tags=["raises-exception"]),
        nbformat.v4.new_code_cell(""),
    )
    assert faults(path) == []


def test_clean_keeps_the_picture_and_drops_the_noise():
    data = {WIDGET: {"model_id": "1"}, "text/html": ALT, "text/plain": "tree"}
    output = nbformat.v4.new_output("display_data", data, metadata={WIDGET: {"x": 1}})
    lone = nbformat.v4.new_output("display_data", {WIDGET: {"model_id": "2"}})
    texts = [nbformat.v4.new_output("stream", name="stdout", text=t) for t in "ab"]
    noise = {"execution": {"iopub.execute": "now"}, "jupyter": {"outputs_hidden": False}}
    cell = code("1", [*texts, output, lone], tags=["keep"], **noise)
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {}, "vscode": {}})
    before = cell.id
    clean(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert cell.id == before
    assert cell.metadata == {"tags": ["keep"], "azlearn": {"source": source_hash("1")}}
    assert [o.output_type for o in cell.outputs] == ["stream", "display_data", "display_data"]
    assert cell.outputs[0].text == "ab"
    assert set(cell.outputs[1].data) == {"text/html", "text/plain"}
    assert cell.outputs[1].metadata == {}
    assert set(cell.outputs[2].data) == {WIDGET}
    hidden = folded("1")
    clean(nbformat.v4.new_notebook(cells=[hidden]))
    assert hidden.metadata["jupyter"] == {"source_hidden": True}


def test_a_bar_of_progress_is_not_kept():
    bar = progress_bar(total=3, desc="games", file=io.StringIO())
    bar.update(2)
    texts = (str(bar), "", "Explorer: 90 % of [3/4]")
    outputs = [nbformat.v4.new_output("display_data", {"text/plain": text}) for text in texts]
    cell = code("1", outputs)
    clean(nbformat.v4.new_notebook(cells=[cell]))
    assert [o.data["text/plain"] for o in cell.outputs] == ["Explorer: 90 % of [3/4]"]


GAME = TicTacToe()


def kept(widget):
    """Of a notebook as a server saves it: a view in an output, the state beside it."""
    output = shown(widget={"model_id": widget.model_id}, plain="w")
    states = {widget.model_id: {"state": json.loads(json.dumps(widget.get_state()))}}
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": states}}
    notebook = nbformat.v4.new_notebook(cells=[code("w", [output])], metadata={"widgets": widgets})
    keep_states(notebook)
    return kept_state(notebook.cells[0].outputs[0].data)


def in_its_file(widget):
    """What the script of the widget's page starts with."""
    return json.loads(re.search(r'id="state">(.*?)</script>', widget.to_html(), re.S)[1])


def test_a_kept_explorer_makes_the_same_page():
    explorer = explore(GAME, GAME.from_moves("15"), num_simulations=30)
    explorer.step, explorer.phase, explorer.selected = 7, "expand", 2
    kind, state = kept(explorer)
    assert kind == "explorer"
    assert in_its_file(Explorer(state.pop("record"), **state)) == in_its_file(explorer)


def test_both_halves_of_a_comparison_are_kept_and_nothing_of_other_widgets():
    one, two = (explore(GAME, GAME.initial_state(), num_simulations=n) for n in (20, 30))
    kind, state = kept(compare(one, two, ("a few", "more"), simulation=5))
    assert (kind, state["labels"], state["simulation"]) == ("comparison", ["a few", "more"], 5)
    assert [len(state[side]["steps"]["leaf"]) for side in ("left", "right")] == [20, 30]
    assert state["right"] == json.loads(json.dumps(two.record))
    assert kept(ipywidgets.IntSlider()) is None


@pytest.mark.slow
def test_execute_twice_writes_the_same_file(tmp_path):
    """An explorer is kept and small; a bar is text, which needs no kernel later, and goes."""
    sources = (
        "import os\nprint(sum(range(5)))\nprint('AZLEARN_PROGRESS' in os.environ)",
        "from azlearn.progress_bar import progress_bar\n"
        "for i in progress_bar(range(3), desc='went', leave=False):\n    print(i)\n"
        "for i in progress_bar(range(4), desc='stayed'):\n    pass",
        "from azlearn.games import TicTacToe\nfrom azlearn.viz import explore\n"
        "explore(TicTacToe(), TicTacToe().initial_state(), num_simulations=50)",
    )
    path = save(tmp_path, *map(nbformat.v4.new_code_cell, sources))
    assert faults(path) == [f"cell {i}: never run: run `make notebooks`" for i in range(3)]
    assert main(["execute", str(path)]) == 0
    assert faults(path) == []
    first, notebook = path.read_text(), nbformat.read(path, 4)
    told, counted, explorer = (cell.outputs for cell in notebook.cells)
    assert [o.text for o in told + counted] == ["10\nTrue\n", "0\n1\n2\n"]
    assert set(explorer[0].data) == {KIND, "text/html", "image/svg+xml", "text/plain"}
    assert len(kept_state(explorer[0].data)[1]["record"]["steps"]["leaf"]) == 50
    assert len(explorer[0].data[KIND]["state"]) < 5000
    assert "widgets" not in notebook.metadata
    execute(path)
    assert path.read_text() == first


@pytest.mark.slow
def test_a_cell_that_fails_leaves_the_file_alone(tmp_path, capsys):
    path = save(tmp_path, nbformat.v4.new_code_cell("1/0"))
    before = path.read_text()
    assert main(["execute", str(path)]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert path.read_text() == before


def test_the_command_says_what_it_found(tmp_path, capsys):
    good = save(tmp_path, words("two words"), code("a\nb"), name="good.ipynb")
    assert main(["check", str(good)]) == 0
    report = capsys.readouterr().out
    assert "2 cells, 2 words, 2 open lines of code, longest open cell 2 lines" in report
    bad = save(tmp_path, words("![](x.png)"), name="bad.ipynb")
    assert main(["check", str(good), str(bad)]) == 1
    assert "2 notebooks, 2 faults" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "none.ipynb")]) == 1
    assert "There is no notebook" in capsys.readouterr().err
    assert main(["clean", str(good)]) == 0
    assert faults(good) == []


@pytest.mark.slow
def test_a_page_folds_what_the_notebook_folds(tmp_path, capsys):
    link = words("[next](04_more.ipynb#Part), [task](../exercises/03_exercises.ipynb)")
    path = save(tmp_path, folded("# Draws a <curve>.\nx = 1"), code("y = 2"), link)
    assert main(["html", str(path)]) == 0
    assert "a.html" in capsys.readouterr().out
    page = path.with_suffix(".html").read_text()
    (start,) = [i for i in range(len(page)) if page.startswith("<details>", i)]
    inside = page[start : page.index("</details>")]
    assert "<summary>Draws a &lt;curve&gt;.</summary>" in inside
    assert "x" in inside
    assert "y" in page[page.index("</details>") :]
    assert 'href="04_more.html#Part"' in page
    assert 'href="../exercises/03_exercises.ipynb"' in page
