"""Searches with priors in the browser: scores, formula, bars on the tree, the prior as a heat."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import puct, random_rollout, record_search, uct
from azlearn.viz import Explorer
from tests.viz.netlike import netlike
from tests.viz.page import drawn, number, part

GAME = ConnectFour()


def recorded(rule=None, evaluate=netlike, game=GAME, moves="44443", simulations=200):
    return record_search(game, game.from_moves(moves), rule or puct(1.5), evaluate, simulations, 3)


@pytest.fixture(scope="module")
def recording():
    return recorded()


def pinned_root(recording, **options):
    """The panel on the root of the finished tree: its moves by the scores of the rule."""
    return Explorer(recording, selected=0, **options)


def test_table_shows_the_rules_own_scores(opened, recording):
    page = opened(pinned_root(recording))
    root, scores = recording.nodes[0], recording.select(recording.nodes[0])
    rows = part(page, "panel").locator("tr[data-move]")
    order = [int(row.get_attribute("data-move")) for row in rows.all()]
    assert order == sorted(root.legal_actions, key=lambda a: (-scores[a], a))
    for action in root.legal_actions:
        row = part(page, "panel").locator(f'tr[data-move="{action}"]')
        cells = row.locator("td").all_inner_texts()
        assert cells[0] == str(root.visit_counts[action])
        assert cells[1] == f"{100 * root.prior[action]:.0f} %"
        assert number(cells[-1]) == pytest.approx(scores[action], abs=0.00501)
        said = row.get_attribute("title")
        q, u = (number(re.search(rf"{name} ([+−]?[\d.]+)", said).group(1)) for name in "QU")
        assert q == pytest.approx(root.q_values[action], abs=0.00501)
        assert u == pytest.approx(scores[action] - root.q_values[action], abs=0.006)
    best = part(page, "panel").locator("tr.azl-best")
    assert int(best.get_attribute("data-move")) == int(np.argmax(scores))

    for action in (2, 3):  # the formula has this node's numbers
        part(page, "panel").locator(f'tr[data-move="{action}"]').click()
        text = part(page, "formula").inner_text()
        pattern = r"([+−][\d.]+) \+ ([\d.]+)·([\d.]+)·√(\d+)/(\d+) = (\S+)"
        q, c, p, total, n, result = map(number, re.search(pattern, text).groups())
        assert (n - 1, total, c) == (root.visit_counts[action], sum(root.visit_counts), 1.5)
        assert result == pytest.approx(q + c * p * total**0.5 / n, abs=0.002)
        assert result == pytest.approx(scores[action], abs=0.0006)


def test_an_untried_move_shows_the_value_assumed_for_it(opened):
    recording = recorded(puct(0.3, "parent", fpu_reduction=0.4), simulations=6)
    root, scores = recording.nodes[0], recording.select(recording.nodes[0])
    untried = next(a for a in root.legal_actions if not root.visit_counts[a])
    page = opened(pinned_root(recording))
    expect(part(page, "settings")).to_contain_text("c = 0.3 · fpu = parent − 0.4·√ΣP ·")
    row = part(page, "panel").locator(f'tr[data-move="{untried}"]')
    row.click()
    assumed = scores[untried] - 0.3 * root.prior[untried] * 6**0.5
    said = re.search(r"Q \((\S+)\), assumed", row.get_attribute("title")).group(1)
    assert number(said) == pytest.approx(assumed, abs=0.00501)
    assert number(row.locator("td").last.inner_text()) == pytest.approx(
        scores[untried], abs=0.00501
    )
    expect(part(page, "formula")).to_contain_text("mean less 0.40·√(ΣP of the tried moves)")


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
    heat = part(page, "panel").locator(".azl-heat")
    assert [int(h.get_attribute("data-heat")) for h in heat.all()] == leaf.legal_actions
    shares = [float(h.get_attribute("fill-opacity")) for h in heat.all()]
    priors = [leaf.prior[a] for a in leaf.legal_actions]
    assert np.argmax(shares) == np.argmax(priors)
    assert np.corrcoef(shares, priors)[0, 1] > 0.99
    percents = part(page, "panel").locator(".azl-percent").all_text_contents()
    assert percents == [str(round(100 * p)) for p in priors]
    box, board = heat.first.bounding_box(), part(page, "panel").locator(".azl-board").bounding_box()
    assert (box["height"] > board["height"] * 0.7) == (shape == "column")
    expect(part(page, "panel")).to_contain_text(f"{abs(row.value):.2f}")
    best = leaf.legal_actions[int(np.argmax(priors))]
    expect(part(page, "say")).to_contain_text(f"Its prior is highest for move {best + 1}")
    value = f"{row.value:.2f}"
    pills = drawn(page)[str(row.leaf)]["pills"]
    assert len(pills) == 1
    assert pills[0].startswith("value ")
    assert pills[0].endswith(value.lstrip("-")[-2:])


def test_edges_are_as_wide_as_the_visits_and_a_bar_shows_the_prior(opened, recording):
    page, root = opened(Explorer(recording), reduced_motion="reduce"), recording.nodes[0]
    widths = page.evaluate(
        """() => [...document.querySelectorAll('.azl-sheet > g > g:first-child path')]
          .map(e => e.getAttribute('stroke-width'))"""
    )
    lengths = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.azl-node')]
          .filter(g => g.querySelector('.azl-prior')).map(g => [g.dataset.node,
            g.querySelector('.azl-prior').getTotalLength()
              / g.querySelector('.azl-frame').getAttribute('width')]))"""
    )
    priors = {i: root.prior[recording.parents[i][1]] for i in _kids(recording, 0)}
    shown = [(length, priors[int(i)]) for i, length in lengths.items() if int(i) in priors]
    assert len(shown) >= 5
    assert np.corrcoef(*np.array(shown).T)[0, 1] > 0.999
    for i in priors.keys() & set(map(int, lengths)):
        share = root.visit_counts[recording.parents[i][1]] / sum(root.visit_counts)
        assert f"{1.2 + 8 * share**0.5:.1f}" in widths
    page = opened(Explorer(recorded(uct(1.0), random_rollout())))
    assert page.locator(".azl-prior").count() == 0


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
    assert formula.startswith(str(chosen + 1))
    assert "the formula of this rule is not known here" in formula
    assert part(page, "panel").locator("thead th").last.inner_text() == "score"
    score, q, bonus = map(
        number, re.search(r"score = (\S+) = Q (\S+), bonus (\S+), as recorded", formula).groups()
    )
    assert score == pytest.approx(first[chosen], abs=0.0006)
    assert q + bonus == pytest.approx(score, abs=1e-9)  # as printed
    expect(part(page, "settings")).to_contain_text("Custom rule")
    page = opened(pinned_root(recording))  # nothing is scored after a backup: it says why
    expect(part(page, "panel").locator(".azl-sc")).to_have_count(0)
    assert "The formula of this rule is not known here, and its scores were recorded only" in (
        part(page, "formula").inner_text()
    )
    page = opened(Explorer(recording.tree, selected=0))
    assert "not known here, and no scores were recorded" in part(page, "formula").inner_text()


def _path(recording, node):
    path = [node]
    while path[0]:
        path.insert(0, recording.parents[path[0]][0])
    return path
