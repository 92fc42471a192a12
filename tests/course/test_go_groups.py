"""The Go board of chapter 14 on which a click lights up a group."""

import pytest
from playwright.sync_api import expect

from azlearn.course.go_groups import CELL, MARGIN, show_groups

BOARD = "OOOX./OXXX./OOOXO/XXOX./.OOX."


def test_the_long_group_has_one_liberty_and_ten_rounds():
    shown = show_groups(BOARD, "C5")
    assert shown.describe() == (
        "White's group of 10 stones has 1 liberty, A1. From there the flood takes 10 rounds to"
        " reach the last stone, C5."
    )
    assert shown._repr_mimebundle_()[0]["image/svg+xml"].count(">10</text>") == 1


def test_a_click_chooses_another_group():
    shown = show_groups(BOARD)
    before = shown.shown
    shown.point = 24 - 10  # E3
    assert shown.shown != before
    assert shown.describe().startswith("White's group of 1 stone has 2 liberties, E4, E2.")
    shown.point = 4
    assert shown.describe() == "E5 is empty. Click a stone."


def test_a_group_without_a_liberty_is_told():
    assert "no liberty" in show_groups("OX.../X..../...../...../.....").describe()


def test_a_wrong_board_or_point_is_refused():
    with pytest.raises(ValueError, match="point must be"):
        show_groups(BOARD, "F1")
    with pytest.raises(ValueError, match="25 points"):
        show_groups("XO")


@pytest.mark.slow
def test_a_click_and_the_arrow_keys_choose_a_point_and_no_key_reaches_jupyterlab(lab_page):
    """There, the arrow keys select another cell, and x cuts it."""
    cell = f"from azlearn.course.go_groups import show_groups\nshow_groups({BOARD!r})"
    lab_page.write_notebook("groups.ipynb", [cell, "1"])
    lab_page.open("groups.ipynb")
    lab_page.run_all()
    page = lab_page.page
    board = page.locator(".azl-groups[data-ready]")
    board.locator("img").click(position={"x": MARGIN + 2.5 * CELL, "y": 0.5 * CELL})
    expect(board).to_contain_text("White's group of 10 stones has 1 liberty, A1.")
    for key in ("ArrowRight", "ArrowRight", "x"):
        page.keyboard.press(key)
    expect(board).to_have_text("E5 is empty. Click a stone.")
    for key in ("ArrowDown", "ArrowDown", "x"):
        page.keyboard.press(key)
    expect(board).to_contain_text("White's group of 1 stone has 2 liberties, E4, E2.")
    assert page.locator(".jp-CodeCell").count() == 2
