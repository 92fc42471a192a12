"""Trees that are larger than their record, and other records in the place of the first."""

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import Recording, compiled_uct, random_rollout, record_search, uct
from azlearn.viz import Explorer
from tests.viz.page import drawn, now, part, until

GAME = ConnectFour()


def of_tree(max_nodes=60):
    tree = compiled_uct(GAME, GAME.from_moves("44443"), 20_000)
    return Recording.of_tree(tree, max_nodes=max_nodes)


def moves_to(recording, node):
    line = []
    while node:
        node, action = recording.parents[node]
        line.insert(0, action)
    return line


def selected(page, node):
    page.locator(f'.azl-node[data-node="{node}"]').click()


def num_visits(n):
    """As a narrow column writes them: "999", "4.1k"."""
    return str(n) if n < 10_000 else f"{n / 1000:.0f}k"


def _middle(card):
    box = card.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def left_out(page, explorer):
    more = explorer.record["nodes"]["more"]
    return next(int(n) for n in drawn(page) if more[int(n)])


def test_a_node_left_out_is_fetched_when_it_is_opened(live):
    explorer = Explorer(of_tree())
    before = len(explorer.record["nodes"]["parent"])
    link = live(explorer, reduced_motion="reduce")
    page = link.page
    node = left_out(page, explorer)
    count = explorer.record["nodes"]["more"][node]
    selected(page, node)
    expect(page.locator(f'[data-stub="{node}"]')).to_contain_text(f"+{count}")
    expect(part(page, "panel")).to_contain_text("not here yet")
    page.keyboard.press("+")
    card = page.locator(f'.azl-node[data-node="{node}"] .azl-frame').first
    x, y = _middle(card)
    page.keyboard.press("Enter")
    expect(part(page, "found")).to_contain_text("Asking Python")
    until(page, lambda: link.heard)
    assert link.heard == [{"do": "grow", "node": node}]
    link.flush()
    assert len(explorer.record["nodes"]["parent"]) == before + count
    assert now(page)[2] == node
    # A zoomed tree stays where it was; the card of the node may have taken another form.
    assert _middle(card) == pytest.approx((x, y), abs=12)
    page.keyboard.press("0")
    children = [i for i, up in enumerate(explorer.record["nodes"]["parent"]) if up == node]
    assert set(map(str, children)) <= set(drawn(page))
    until(page, lambda: explorer.selected == node)  # or the node would be the root still
    truth = explorer.selected_node
    for action in truth.legal_actions:
        row = part(page, "panel").locator(f'tr[data-move="{action}"]')
        assert row.locator("td").first.inner_text() == num_visits(truth.visit_counts[action])
    expect(part(page, "found")).to_have_text("")


def test_who_has_no_search_says_so(opened, live):
    explorer = Explorer(of_tree())
    page = opened(explorer)
    selected(page, left_out(page, explorer))
    page.keyboard.press("Enter")
    expect(part(page, "found")).to_have_text(
        "These nodes are not in this file: open the search in a notebook to see them."
    )
    link = live(Explorer(of_tree().to_dict()), reduced_motion="reduce")  # a record alone
    selected(link.page, left_out(link.page, explorer))
    link.page.keyboard.press("Enter")
    until(link.page, lambda: link.heard)
    link.flush()
    expect(part(link.page, "notice")).to_contain_text("not in the record")


def search(c, num_simulations=300):
    return record_search(
        GAME, GAME.from_moves("44443"), uct(c), random_rollout(), num_simulations, 3
    )


def test_another_record_keeps_what_was_selected_opened_and_filtered(live):
    one, other = search(1.0), search(2.0)
    explorer = Explorer(one)
    link = live(explorer, reduced_motion="reduce")
    page = link.page
    page.get_by_role("button", name="Find and filter").click()
    page.get_by_role("button", name="always").click()
    part(page, "least").fill("3")
    node = next(
        int(n)
        for n in drawn(page)
        if len(moves_to(one, int(n))) == 2 and sum(up == int(n) for up, _ in one.parents) >= 2
    )
    selected(page, node)
    page.keyboard.press("Enter")
    kept = moves_to(one, node)
    twin = next(i for i in range(len(other.nodes)) if moves_to(other, i) == kept)
    with explorer.hold_sync():
        explorer.recording, explorer.record, explorer.selected = other, other.to_dict(), twin
    link.flush()
    assert now(page) == (300, "backup", twin)
    expect(part(page, "settings")).to_contain_text("UCT c = 2")
    expect(page.locator('[data-do="first"]')).to_have_attribute("aria-pressed", "true")
    assert part(page, "least").input_value() == "3"
    nodes = drawn(page)
    for n, seen in nodes.items():
        up, action = other.parents[int(n)]
        visits = other.nodes[up].visit_counts[action] if up >= 0 else 300
        assert seen["n"] == str(visits)
        assert visits >= 3 or up == twin
    children = {str(i) for i, (up, _) in enumerate(other.parents) if up == twin}
    assert children <= set(nodes)


def test_a_node_chosen_while_a_search_ran_is_found_in_the_new_tree(live):
    """The new record arrives before Python has heard of the click."""
    one, other = search(1.0), search(2.0, 60)
    explorer = Explorer(one)
    link = live(explorer, reduced_motion="reduce")
    page, there = link.page, {tuple(moves_to(other, i)): i for i in range(len(other.nodes))}
    node = next(int(n) for n in drawn(page) if tuple(moves_to(one, int(n))) not in there)
    nearest = tuple(moves_to(one, node))
    while nearest not in there:
        nearest = nearest[:-1]
    page.evaluate(
        """([node, news]) => {
          const card = document.querySelector(`.azl-node[data-node="${node}"]`);
          card.dispatchEvent(new MouseEvent('click', { bubbles: true }));
          window.model.hear(news);
        }""",
        [node, {"record": other.to_dict(), "step": 60, "selected": 0}],
    )
    assert now(page) == (60, "backup", there[nearest])
