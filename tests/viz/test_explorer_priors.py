"""Searches with priors in the browser: scores, formula, bars on the tree, the prior as a heat."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import puct, random_rollout, record_search, uct
from azlearn.viz import Explorer
from azlearn.viz.replaying import path_to, replay
from tests.axe import assert_accessible
from tests.viz.netlike import netlike
from tests.viz.page import drawn, number, part

GAME = ConnectFour()


def recorded(rule=None, evaluate=netlike, game=GAME, moves="44443", simulations=200):
    return record_search(game, game.from_moves(moves), rule or puct(1.5), evaluate, simulations, 3)


@pytest.fixture(scope="module")
def recording():
    return recorded()


def test_table_shows_the_rules_own_scores(opened, recording):
    page = opened(Explorer(recording))
    root, rows = recording.nodes[0], part(page, "table").locator("tbody tr")
    head = part(page, "table").locator("thead th").all_inner_texts()
    assert head[:7] == ["move", "N", "W", "Q", "P", "U", "Q+U"]
    scores = recording.select(root)
    for k, action in enumerate(root.legal_actions):
        cells = rows.nth(k).locator("td").all_inner_texts()
        assert cells[0] == str(root.visit_counts[action])
        assert number(cells[2]) == pytest.approx(root.q_values[action], abs=0.00501)
        assert number(cells[3]) == pytest.approx(root.prior[action], abs=0.00501)
        assert number(cells[4]) == pytest.approx(scores[action] - root.q_values[action], abs=0.006)
        assert number(cells[5]) == pytest.approx(scores[action], abs=0.00501)
    best = int(np.argmax(scores))
    assert part(page, "table").locator(".azl-best th").inner_text() == str(best + 1)
    assert part(page, "name").inner_text() == "PUCT · c = 1.5 · fpu = 0"


def test_formula_has_this_nodes_numbers_and_they_are_right(opened, recording):
    page = opened(Explorer(recording))
    root = recording.nodes[0]
    for action in (2, 3):
        part(page, "table").locator(f'tr[data-move="{action}"]').click()
        text = part(page, "formula").inner_text()
        pattern = r"= (\S+)/(\d+) \+ ([\d.]+)·([\d.]+)·√(\d+)/\(1\+(\d+)\)"
        w, n, c, p, total, n_again = map(number, re.search(pattern, text).groups())
        result = number(re.search(r"= (\S+)$", text.strip()).group(1))
        assert (n, total, c) == (root.visit_counts[action], sum(root.visit_counts), 1.5)
        assert n == n_again
        assert result == pytest.approx(w / n + c * p * total**0.5 / (1 + n), abs=0.002)
        assert result == pytest.approx(recording.select(root)[action], abs=0.0006)


@pytest.mark.parametrize(
    ("rule", "name", "reason"),
    [
        (puct(0.3, -0.5), "fpu = −0.5", "fpu, −0.50, for Q"),
        (puct(0.3, "parent"), "fpu = parent", "own mean, for Q"),
        (
            puct(0.3, "parent", fpu_reduction=0.4),
            "fpu = parent − 0.4·√ΣP",
            "own mean less 0.40·√(ΣP of the tried moves), for Q",
        ),
    ],
    ids=["a number", "the mean", "less than the mean"],
)
def test_an_untried_move_shows_the_value_assumed_for_it(opened, rule, name, reason):
    recording = recorded(rule, simulations=6)
    root = recording.nodes[0]
    untried = next(a for a in root.legal_actions if not root.visit_counts[a])
    page = opened(Explorer(recording))
    assert part(page, "name").inner_text() == f"PUCT · c = 0.3 · {name}"
    row = part(page, "table").locator(f'tr[data-move="{untried}"]')
    row.click()
    scores = recording.select(root)
    assumed = scores[untried] - 0.3 * root.prior[untried] * 6**0.5
    cells = row.locator("td").all_inner_texts()
    assert number(cells[2].strip("()")) == pytest.approx(assumed, abs=0.00501)
    assert number(cells[5]) == pytest.approx(scores[untried], abs=0.00501)
    expect(part(page, "formula")).to_contain_text(reason)


def test_bars_on_the_tree_add_up_to_the_scores(opened, recording):
    page = opened(Explorer(recording, step=150, phase="select"))
    record = recording.to_dict()
    (visits, values), path = replay(record, 149), path_to(record, record["steps"]["leaf"][149])
    bars = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.azl-stack')].map(g => [
          g.closest('.azl-node').dataset.node,
          { won: g.classList.contains('azl-winner'),
            widths: ['.azl-q', '.azl-u'].map(c => Number(g.querySelector(c).getAttribute('width'))),
            full: Number(g.querySelector('.azl-trough').getAttribute('width')) - 2 }]))"""
    )
    assert {int(n) for n, bar in bars.items() if bar["won"]} == set(path[1:])
    rule = _scores_at_root(recording, visits, values)
    longest, drawn = max(rule.values()) + 1, [i for i in rule if str(i) in bars]
    assert len(drawn) >= 4
    for i in drawn:
        widths, full = bars[str(i)]["widths"], bars[str(i)]["full"]
        assert sum(widths) / full == pytest.approx((rule[i] + 1) / longest, abs=0.01)
        q = values[i] / visits[i]
        assert widths[0] / full == pytest.approx((q + 1) / longest, abs=0.01)


def _scores_at_root(recording, visits, values):
    """PUCT by hand, from N and W of the moment."""
    kids = [i for i in _kids(recording, 0) if visits[i]]
    total, prior = sum(visits[i] for i in kids), recording.nodes[0].prior
    action = recording.to_dict()["nodes"]["action"]
    return {
        i: values[i] / visits[i] + 1.5 * prior[action[i]] * total**0.5 / (1 + visits[i])
        for i in kids
    }


def _kids(recording, node):
    return [i for i, (up, _) in enumerate(recording.parents) if up == node]


@pytest.mark.parametrize(
    ("game", "moves", "shape"), [(ConnectFour(), "44443", "column"), (TicTacToe(), "15", "cell")]
)
def test_in_evaluate_the_prior_lies_over_the_board(opened, game, moves, shape):
    recording = recorded(game=game, moves=moves, simulations=60)
    rows = [r for r in recording.rows if recording.nodes[r.leaf].outcome is None]
    row = rows[-1]
    leaf = recording.nodes[row.leaf]
    step = recording.rows.index(row) + 1
    page = opened(Explorer(recording, step=step, phase="evaluate"), reduced_motion="reduce")
    heat = part(page, "board").locator(".azl-heat")
    assert [int(h.get_attribute("data-heat")) for h in heat.all()] == leaf.legal_actions
    shares = [float(h.get_attribute("fill-opacity")) for h in heat.all()]
    priors = [leaf.prior[a] for a in leaf.legal_actions]
    assert np.argmax(shares) == np.argmax(priors)
    assert np.corrcoef(shares, priors)[0, 1] > 0.99
    percents = part(page, "board").locator(".azl-percent").all_text_contents()
    assert percents == [str(round(100 * p)) for p in priors]
    box, board = heat.first.bounding_box(), part(page, "board").locator(".azl-board").bounding_box()
    assert (box["height"] > board["height"] * 0.7) == (shape == "column")
    expect(part(page, "board")).to_contain_text(f"{abs(row.value):.2f}")
    best = leaf.legal_actions[int(np.argmax(priors))]
    expect(part(page, "say")).to_contain_text(f"Its prior is highest for move {best + 1}")
    value = re.sub(r"\+?−?0\.", ".", f"{row.value:.2f}")
    pills = drawn(page)[str(row.leaf)]["pills"]
    assert len(pills) == 1
    assert pills[0].startswith("value ")
    assert pills[0].endswith(value.lstrip("-")[-2:])
    bar = part(page, "board").locator(".azl-v")
    assert float(bar.get_attribute("width")) == pytest.approx(abs(row.value))


def test_edge_width_is_the_prior_where_there_is_one(opened, recording):
    page = opened(Explorer(recording), reduced_motion="reduce")
    expect(part(page, "edges")).to_have_text("edge: prior P")
    seen = _edge_widths(page, recording)
    root = recording.nodes[0]
    by_prior = {a: root.prior[a] for a in seen}
    assert len(seen) >= 5
    assert sorted(seen, key=seen.get) == sorted(seen, key=lambda a: (by_prior[a], seen[a]))
    page = opened(Explorer(recorded(uct(1.0), random_rollout())))
    expect(part(page, "edges")).to_have_text("edge: visits N")


def _edge_widths(page, recording):
    """{action: stroke width} of the edges below the root, found by where they end."""
    ends = page.evaluate(
        """() => [...document.querySelectorAll('.azl-sheet > g > g:first-child path')].map(e => [
          e.getPointAtLength(e.getTotalLength()).x, e.getPointAtLength(e.getTotalLength()).y,
          Number(e.getAttribute('stroke-width'))])"""
    )
    places = page.evaluate(
        """() => [...document.querySelectorAll('.azl-node')].map(g => [
          Number(g.dataset.node), ...g.getAttribute('transform').match(/[-.\\d]+/g).map(Number)])"""
    )
    found = {}
    for node, x, y in places:
        if recording.parents[node][0] != 0:
            continue
        width = next(w for ex, ey, w in ends if abs(ex - x) < 0.6 and abs(ey - y) < 3)
        found[recording.parents[node][1]] = width
    return found


def test_why_a_move_was_chosen_is_said_with_its_prior(opened, recording):
    page = opened(Explorer(recording, phase="select"))
    texts = page.evaluate(
        """() => {
          const press = name => document.querySelector(`[data-do="${name}"]`).click(), said = [];
          for (let k = 0; k < 60; k++) {
            said.push(document.querySelector('[data-part="say"]').textContent);
            press('sooner');
            press('select');
          }
          return said;
        }"""
    )
    assert any("for its prior is" in text for text in texts)
    assert all("· select." in text for text in texts)


def test_a_rule_of_ones_own_shows_its_score_without_a_formula(opened):
    def cautious(node):
        return [
            w / n - 0.1 * n if n else 2.0
            for n, w in zip(node.visit_counts, node.value_sum, strict=True)
        ]

    recording = recorded(cautious, random_rollout(), simulations=80)
    page = opened(Explorer(recording, step=80, phase="select"))
    first = recording.rows[-1].scores[0]
    chosen = recording.parents[_path(recording, recording.rows[-1].leaf)[1]][1]
    formula = part(page, "formula").inner_text()
    assert f"move {chosen + 1} is chosen" in formula
    assert "score = Q + bonus" in formula
    assert "the formula of this rule is not known here" in formula
    heads = part(page, "table").locator("thead th").all_inner_texts()
    assert heads[-3:] == ["bonus", "score", f"from {heads[-1].split()[1]}"]
    score = number(re.search(r"\n= (\S+)\nas recorded", formula).group(1))
    assert score == pytest.approx(first[chosen], abs=0.0006)
    assert part(page, "name").inner_text() == "Custom rule"
    page = opened(Explorer(recording))  # nothing is scored after a backup: it says why
    assert "The formula of this rule is not known here, and its scores were recorded only" in (
        part(page, "formula").inner_text()
    )
    page = opened(Explorer(recording.tree))
    assert "not known here, and no scores were recorded" in part(page, "formula").inner_text()


def _path(recording, node):
    path = [node]
    while path[0]:
        path.insert(0, recording.parents[path[0]][0])
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_for_axe_to_find(opened, recording, scheme):
    for phase in ("select", "evaluate"):
        explorer = Explorer(recording, step=150, phase=phase, notice="Stopped early.")
        page = opened(explorer, color_scheme=scheme, reduced_motion="reduce")
        page.get_by_role("button", name="Whole tree").click()
        part(page, "find").fill("9 9")
        page.keyboard.press("Enter")
        assert_accessible(page, f"{scheme}, priors, {phase}")
