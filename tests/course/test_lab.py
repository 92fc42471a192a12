"""A wrong sign, seen: the card and the reader's own tree in JupyterLab."""

import pytest
from playwright.sync_api import expect

WRONG = [
    "from azlearn.course import check",
    "def backup(path, leaf, value):\n"
    "    for node, action in path:\n"
    "        node.visit_counts[action] += 1\n"
    "        node.value_sum[action] += value\n"
    'check("3.3", backup)',
]


@pytest.mark.slow
def test_a_wrong_sign_is_visible_below_the_card(lab_page):
    lab_page.write_notebook("wrong.ipynb", WRONG)
    lab_page.open("wrong.ipynb")
    lab_page.run_all()
    output = lab_page.output(1)
    expect(output.first).to_contain_text("value not negated at backup")
    expect(output.first).to_contain_text("which loses at once")
    widget = output.locator(".azl-x[data-ready]")
    widget.wait_for()
    changes = widget.locator(".azl-tree .azl-delta text").all_text_contents()
    assert len(changes) >= 2
    assert len({change[0] for change in changes}) == 1  # + or −, all the way up


@pytest.mark.slow
def test_a_case_of_the_clinic_is_seen_and_named(lab_page):
    cells = [
        "from azlearn.course import clinic\nclinic.choices()",
        'clinic.case("B")',
        'clinic.diagnose("B", "plays on")',
    ]
    lab_page.write_notebook("clinic.ipynb", cells)
    lab_page.open("clinic.ipynb")
    lab_page.run_all()
    expect(lab_page.output(0).locator("li")).to_have_count(12)
    case = lab_page.output(1)
    expect(case.first).to_contain_text("What is wrong with this search?")
    widget = case.locator(".azl-x[data-ready]")
    widget.wait_for()
    expect(widget.locator('[data-part="say"]')).to_contain_text("Red has won")  # at this node …
    assert widget.locator("table tbody tr").count() == 7  # … and yet it has moves
    expect(lab_page.output(2).first).to_contain_text("yet there are nodes below it")


@pytest.mark.slow
def test_the_ward_shows_one_case_at_a_time_and_answers_a_click(lab_page):
    lab_page.write_notebook("ward.ipynb", ["from azlearn.course import clinic\nclinic.show()"])
    lab_page.open("ward.ipynb")
    lab_page.run_all()
    ward = lab_page.output(0)
    ward.locator(".azl-x[data-ready]").wait_for()
    expect(ward).to_contain_text("Case A")
    ward.get_by_role("button", name="final move by best mean").click()
    expect(ward).to_contain_text("If it were “final move by best mean”")
    ward.get_by_role("button", name="value not negated at backup").click()
    expect(ward).to_contain_text("value = -value")
    ward.get_by_role("button", name="compare with a healthy one").click()
    expect(ward).to_contain_text("healthy prefers 4")
    ward.get_by_role("button", name="C", exact=True).click()
    expect(ward).to_contain_text("Case C")
    expect(ward).not_to_contain_text("value = -value")
    expect(ward.locator(".azl-x[data-ready]")).to_have_count(1)
    expect(ward.get_by_role("button", name="✓ A")).to_be_visible()
