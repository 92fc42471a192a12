"""A name of the wrong kind, for every option that takes a file or a folder."""

import pytest

from tests.project.test_cli import run

FILE_EXISTS = "afile: File exists. Choose another name."
NOT_A_FOLDER = "Not a directory. Choose a folder, not a file, or a path through folders."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("alphago --preset small --out afile", FILE_EXISTS),
        ("alphago --preset small --out afile/run", f"afile/run: {NOT_A_FOLDER}"),
        ("alphago --report --out afile", "afile holds no run of AlphaGo"),
        ("alphago --game go5 --records afile", "afile is not a folder of records."),
        ("alphago --game go5 --records gone", "gone is not a folder of records."),
        ("class afile", f"afile: {NOT_A_FOLDER}"),
        ("class gone", "gone: No such file or directory. Check the name, and whether its folder"),
        ("course afile", FILE_EXISTS),
        ("course afile/new", f"afile/new: {NOT_A_FOLDER}"),
        ("explore --out folder", "folder is there already"),
        ("explore --out afile/x.html", "afile is not a folder: name another file with --out."),
        ("explore --out gone/x.html", "gone is not a folder: name another file with --out."),
        ("play random --game go5 --sgf folder", "folder is there already"),
        ("play random --game go5 --sgf gone/x.sgf", "gone is not a folder: name another file"),
        ("match random random --out folder", "folder is there already"),
        ("match random random --out gone/x", "gone is not a folder: name another file"),
        ("match random random --game go5 --sgf afile", FILE_EXISTS),
        ("evaluate random --positions folder", "There is no positions file folder."),
        ("new-game gone/x.py", "x.py: No such file or directory. Check the name"),
        ("train --game tictactoe --out afile", "afile is not an empty folder"),
        ("train --game tictactoe --out afile/run", f"afile/run: {NOT_A_FOLDER}"),
        ("train --resume afile", "afile holds no checkpoint"),
        ("watch afile --once", "There is no run 'afile'."),
    ],
)
def test_a_file_for_a_folder_and_a_folder_for_a_file_are_one_sentence(
    capsys, tmp_path, monkeypatch, line, said
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "afile").write_text("mine")
    (tmp_path / "folder").mkdir()
    code, _, err = run(capsys, *line.split())
    assert (code, len(err.splitlines()), said in err) == (2, 1, True), err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["afile", "folder"]
    assert (tmp_path / "afile").read_text() == "mine"
