"""`execute` keeps outputs and nothing that changes between runs; `check` finds planted faults."""

import base64
import io
import re

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from azlearn.progress_bar import progress_bar
from tools.notebooks import (
    clean,
    count_open_lines,
    count_words,
    execute,
    faults,
    main,
    source_hash,
    summary,
)

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
    kinds = {"html": "text/html", "png": "image/png", "plain": "text/plain"}
    return nbformat.v4.new_output("display_data", {kinds[kind]: data[kind] for kind in data})


RAW = "Markdown is shown raw, inside HTML that no empty line has ended:"


def words(source):
    return nbformat.v4.new_markdown_cell(source)


def save(tmp_path, *cells, name="a.ipynb", **metadata):
    path = tmp_path / name
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells), metadata=metadata), path)
    return path


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        (words("![](a.png)"), "cell 0: a picture without alt text"),
        (words('<img src="a.png">'), "cell 0: a picture without alt text"),
        (words('<img alt="" src="a.png">'), "cell 0: a picture without alt text"),
        (words("[next](01_nowhere.ipynb)"), "cell 0: dead link 01_nowhere.ipynb"),
        (words("![a tree](no.png)"), "cell 0: dead link no.png"),
        (words("<details>\nYes.\n</details>\n## Next"), f"cell 0: {RAW} ## Next"),
        (words("<details>\n\nYes.\n</details>\n- one"), f"cell 0: {RAW} - one"),
        (words("Look:\n<p>It is **bold**.</p>"), f"cell 0: {RAW} **bold**.</p>"),
        (words("<details>\nAs $P_a$ says\n</details>"), f"cell 0: {RAW} $P_a$ says"),
        (words("<img alt='a tree' src='no.png'>"), "cell 0: dead link no.png"),
        (code("1", [shown(png=PNG)]), "cell 0: a picture without a text/html twin"),
        (code("1", [shown(html="<img src='x'>")]), "cell 0: an <img> without alt text"),
        (
            code("1", [nbformat.v4.new_output("error", ename="KeyError", evalue="", traceback=[])]),
            "cell 0: a stored error: KeyError",
        ),
        (
            code("1", [nbformat.v4.new_output("stream", text="in /home/me/azlearn/a.py:3")]),
            "cell 0: an output names a path of the machine it ran on: /home/me/azlearn/a.py",
        ),
        (
            code("1", [shown(plain="3 of 19 exercises right, 0 of 7 cases")]),
            "cell 0: progress over 19 exercises, where the course has ",
        ),
        (code("2", azlearn={"source": source_hash("1")}), "cell 0: edited after its output"),
        (folded("x = 1\n# Draws x."), "cell 0: folded, and its first line, all that is seen of"),
        (folded("# Draws x" + 50 * " and x"), "cell 0: folded, and its first line is too long"),
        (code("1", azlearn={}), "cell 0: never run"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, cell, fault):
    (tmp_path / "a.png").write_bytes(b"")
    (found,) = faults(save(tmp_path, cell))
    assert found.startswith(fault)


def test_what_is_right_passes(tmp_path):
    (tmp_path / "b c.png").write_bytes(b"")
    path = save(
        tmp_path,
        words("![a tree](b%20c.png) [up](..) [net](https://example.org/x) [here](#part)"),
        words("<details><summary>So?</summary>\n\n**Yes**, $a$.\n\n</details>\n\n## Next"),
        words("`q[a](x)` and\n```\n![](never.png)\n```\n<img src='b%20c.png' alt='a tree'>"),
        code("1", [shown(png=PNG, html=ALT, plain="tree"), shown(html="<a href='/x/y'>z</a>")]),
        code("# nothing to see", [nbformat.v4.new_output("stream", text="1/2 and 3/4/5 /7")]),
        code(
            "1/0",
            [nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])],
            tags=["raises-exception"],
        ),
        nbformat.v4.new_code_cell(""),
    )
    assert faults(path) == []


def test_widget_state_is_a_fault(tmp_path):
    (found,) = faults(save(tmp_path, words("a"), widgets={}))
    assert "widget state" in found


def test_clean_keeps_the_picture_and_drops_the_noise():
    data = {WIDGET: {"model_id": "1"}, "text/html": ALT, "text/plain": "tree"}
    output = nbformat.v4.new_output("display_data", data, metadata={WIDGET: {"x": 1}})
    lone = nbformat.v4.new_output("display_data", {WIDGET: {"model_id": "2"}})
    printed = [nbformat.v4.new_output("stream", name="stdout", text=t) for t in "ab"]
    cell = code("1", [*printed, output, lone], tags=["keep"], execution={"iopub.execute": "now"})
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


@pytest.mark.parametrize("total", [3, None])
def test_a_bar_of_progress_is_not_kept(total):
    bar = progress_bar(total=total, desc="games", file=io.StringIO())
    bar.update(2)
    bars = [nbformat.v4.new_output("display_data", {"text/plain": t}) for t in (str(bar), "")]
    explorer = {WIDGET: {"model_id": "2"}, "text/plain": "Explorer: 90 % of [3/4]"}
    kept = nbformat.v4.new_output("display_data", explorer)
    cell = code("1", [*bars, kept])
    clean(nbformat.v4.new_notebook(cells=[cell]))
    assert [o.data["text/plain"] for o in cell.outputs] == ["Explorer: 90 % of [3/4]"]


@pytest.mark.parametrize(
    ("jupyter", "kept"),
    [
        ({"source_hidden": True, "outputs_hidden": False}, {"jupyter": {"source_hidden": True}}),
        ({"source_hidden": False}, {}),
    ],
)
def test_clean_keeps_a_source_folded(jupyter, kept):
    cell = code("1", jupyter=jupyter)
    clean(nbformat.v4.new_notebook(cells=[cell]))
    assert cell.metadata == {"azlearn": {"source": source_hash("1")}, **kept}


@pytest.mark.slow
def test_execute_twice_writes_the_same_file_and_an_edit_shows(tmp_path):
    source = "import os\nprint(sum(range(5)))\nprint('AZLEARN_PROGRESS' in os.environ)"
    path = save(tmp_path, words("Sum."), nbformat.v4.new_code_cell(source))
    assert faults(path) == ["cell 1: never run: run `make notebooks`"]
    assert main(["execute", str(path)]) == 0
    first = path.read_text()
    assert "10" in first
    assert faults(path) == []
    execute(path)
    assert path.read_text() == first
    notebook = nbformat.read(path, 4)
    notebook.cells[1].source += "  # changed"
    nbformat.write(notebook, path)
    (found,) = faults(path)
    assert "edited after its output was made" in found


@pytest.mark.slow
def test_a_bar_is_text_that_needs_no_kernel_later(tmp_path):
    """Where a widget was, a page that is loaded again says "Error displaying widget"."""
    source = (
        "from azlearn.progress_bar import progress_bar\n"
        "for i in progress_bar(range(3), desc='went', leave=False):\n    print(i)\n"
        "for i in progress_bar(range(4), desc='stayed'):\n    pass"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, kernel_name="python3").execute()
    shown = [o for o in notebook.cells[0].outputs if o.output_type == "display_data"]
    assert [set(output.data) for output in shown] == [{"text/plain"}, {"text/plain"}]
    went, stayed = (output.data["text/plain"] for output in shown)
    assert went == ""
    assert re.match(r"stayed: 100%\|█+\| 4/4 \[", stayed)
    clean(notebook)
    assert [o.text for o in notebook.cells[0].outputs] == ["0\n1\n2\n"]


@pytest.mark.slow
def test_a_cell_that_fails_leaves_the_file_alone(tmp_path, capsys):
    path = save(tmp_path, nbformat.v4.new_code_cell("1/0"))
    before = path.read_text()
    with pytest.raises(CellExecutionError):
        execute(path)
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


def test_a_long_cell_is_named(tmp_path):
    path = save(tmp_path, code("\n".join("x" * 30)))
    assert summary(path).count("(more than 25)") == 1
    path = save(tmp_path, folded("# Draws.\n" + "\n".join("x" * 30)))
    assert "more than" not in summary(path)


def test_words_and_open_lines_are_counted(tmp_path):
    path = save(
        tmp_path,
        words("Three `a b c` words\n```\nno word here\n```\nhere."),
        code("a\n\nb\n  \n"),
        folded("# Draws.\nc\nd"),
    )
    assert count_words(path) == 3
    assert count_open_lines(path) == 2


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
