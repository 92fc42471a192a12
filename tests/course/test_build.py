"""exercises/ comes from solutions/, and agrees with it."""

import nbformat
import pytest

from azlearn.course.exercises import CHAPTERS, EXERCISES
from tools.build_exercises import (
    ROOT,
    block_sources,
    build_exercises,
    exercise_notebook,
    main,
    without_solution,
)

SOLVED = '''def double(n: int) -> int:
    """Twice n."""
    # BEGIN SOLUTION
    if n:
        return 2 * n
    return 0
    # END SOLUTION
'''
REPAIR = """def half(n: int) -> float:
    # BEGIN SOLUTION
    return n / 2
    # END SOLUTION
    # BEGIN FAULT
    # if n:
    #     return n // 2
    # return 0
    # END FAULT
"""
VALUE = '# Columns:\n# BEGIN SOLUTION\n# 7, then 4\npath = "747"\n# END SOLUTION\n'
TO_REPAIR = """def half(n: int) -> float:
    raise NotImplementedError("Repair the lines below, then delete this one.")
    if n:
        return n // 2
    return 0"""
TO_WRITE = '''def double(n: int) -> int:
    """Twice n."""
    raise NotImplementedError("Your code here.")'''


def _notebook(*sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


def test_exercises_are_fresh():
    assert main(["--check"]) == 0, "run `make exercises`"


@pytest.mark.parametrize(
    ("source", "stub", "solution"),
    [
        (
            SOLVED,
            TO_WRITE,
            "def double(n: int) -> int:\n    if n:\n        return 2 * n\n    return 0",
        ),
        (REPAIR, TO_REPAIR, "def half(n: int) -> float:\n    return n / 2"),
        (VALUE, "# Columns:\npath = ...", '# 7, then 4\npath = "747"'),
    ],
)
def test_a_solution_becomes_a_stub_and_belongs_to_the_check_that_follows(source, stub, solution):
    assert without_solution(source, "here") == stub
    notebook = _notebook("import math", source, "# hint", 'check("4.10", it)')
    assert block_sources(notebook, "nb") == {"4.10": solution}


@pytest.mark.parametrize(
    "source",
    [
        "# BEGIN FAULT\n# x\n# END FAULT\n",
        "# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n# BEGIN FAULT\n# x\n",
        "# BEGIN SOLUTION\nx = 1\n",
        "x = 1\n# END SOLUTION\n",
        "# END SOLUTION\nx\n# BEGIN SOLUTION\n",
        "# BEGIN SOLUTION\n# BEGIN SOLUTION\nx\n# END SOLUTION\n",
        "x = 1  # BEGIN SOLUTION\ny\n# END SOLUTION\n",
        "#BEGIN SOLUTION\nx\n# END SOLUTION\n",
    ],
)
def test_unbalanced_markers_are_an_error(source):
    with pytest.raises(ValueError, match=r"nb, cell 3: .* has no partner"):
        without_solution(source, "nb, cell 3")


def test_each_solution_has_its_check():
    with pytest.raises(ValueError, match="no check"):
        block_sources(_notebook(SOLVED), "nb")
    with pytest.raises(ValueError, match="followed by its check"):
        block_sources(_notebook(SOLVED, SOLVED, 'check("4.1", double)'), "nb")


def test_stale_missing_and_left_over_notebooks_are_found(tmp_path):
    solutions, exercises = tmp_path / "solutions", tmp_path / "exercises"
    sources = tmp_path / "solutions.json"
    solutions.mkdir()
    notebook = _notebook(SOLVED, 'check("9.1", double)')
    nbformat.write(notebook, solutions / "09_solutions.ipynb")
    places = solutions, exercises, sources
    target = exercises / "09_exercises.ipynb"

    assert build_exercises(*places, check=True) == [target, sources]
    assert not target.exists()
    assert build_exercises(*places) == [target, sources]
    first = target.read_bytes()
    assert build_exercises(*places, check=True) == []

    target.write_text(target.read_text().replace("Twice", "Thrice"))
    (exercises / "08_exercises.ipynb").write_text("{}")
    (exercises / "09_exercises-Copy1.ipynb").write_text("{}")  # a reader's own
    assert build_exercises(*places, check=True) == [target, exercises / "08_exercises.ipynb"]
    build_exercises(*places)
    assert target.read_bytes() == first
    assert not (exercises / "08_exercises.ipynb").exists()
    assert (exercises / "09_exercises-Copy1.ipynb").exists()

    notebook.cells.append(nbformat.v4.new_code_cell("# BEGIN SOLUTION"))
    nbformat.write(notebook, solutions / "09_solutions.ipynb")
    with pytest.raises(ValueError, match=r"09_solutions\.ipynb, cell 2"):
        build_exercises(*places)


def test_exercise_notebooks_keep_ids_and_drop_everything_else():
    notebook = _notebook(SOLVED)
    cell = notebook.cells[0]
    cell.outputs = [nbformat.v4.new_output("stream", text="secret")]
    cell.execution_count = 7
    cell.metadata = {"azlearn": {"source": "0"}, "tags": ["slow"], "jupyter": {"x": 1}}
    notebook.metadata = {"widgets": {"state": {}}, "language_info": {"version": "3.11"}}
    made = exercise_notebook(notebook, "nb")
    assert made.cells[0].id == cell.id
    assert made.cells[0].outputs == []
    assert made.cells[0].execution_count is None
    assert made.cells[0].metadata == {"tags": ["slow"]}
    assert set(made.metadata) == {"kernelspec", "language_info"}
    assert made.metadata.language_info == {"name": "python"}


@pytest.mark.parametrize("path", sorted((ROOT / "solutions").glob("*.ipynb")), ids=lambda p: p.stem)
def test_statements_agree_with_the_catalogue(path):
    """Title, minutes and difficulty stand in the notebook as in the catalogue; so do the hints."""
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells)
    found = [e for e in EXERCISES.values() if CHAPTERS[e.chapter].startswith(path.stem[:2])]
    assert found
    for exercise in found:
        assert f"## {exercise.id} {exercise.title}\n" in text
        circles = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
        assert f"**{exercise.minutes} minutes · difficulty {circles}**" in text
        name = exercise.function.split("(")[0]
        assert f'check("{exercise.id}", {name})' in text
        assert f'# hint("{exercise.id}", 1)' in text
        made = f"\n{name} = " if exercise.takes_value else f"def {name}("
        assert text.count(made) == 1
