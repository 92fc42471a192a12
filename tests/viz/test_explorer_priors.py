"""Searches with priors in the browser: scores, formula, bars on the tree, the prior as a heat."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import puct, random_rollout, record_search, uct
from azlearn.viz import Explorer
from azlearn.viz.replaying import replay
from tests.axe import assert_accessible
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


def test_formula_has_this_nodes_numbers_and_they_are_right(opened, recording):
    page = opened(pinned_root(recording))
    root = recording.nodes[0]
    for action in (2, 3):
        part(page, "panel").locator(f'tr[data-move="{action}"]').click()
        text = part(page, "formula").inner_text()
        pattern = r"([+−][\d.]+) \+ ([\d.]+)·([\d.]+)·√(\d+)/(\d+) = (\S+)"
        q, c, p, total, n, result = map(number, re.search(pattern, text).groups())
        assert (n - 1, total, c) == (root.visit_counts[action], sum(root.visit_counts), 1.5)
        assert result == pytest.approx(q + c * p * total**0.5 / n, abs=0.002)
        assert result == pytest.approx(recording.select(root)[action], abs=0.0006)


@pytest.mark.parametrize(
    ("rule", "name", "reason"),
    [
        (puct(0.3, -0.5), "fpu = −0.5", "Q is fpu, −0.50"),
        (puct(0.3, "parent"), "fpu = parent", "Q is fpu, the node's own mean"),
        (
            puct(0.3, "parent", fpu_reduction=0.4),
            "fpu = parent − 0.4·√ΣP",
            "own mean less 0.40·√(ΣP of the tried moves)",
        ),
    ],
    ids=["a number", "the mean", "less than the mean"],
)
def test_an_untried_move_shows_the_value_assumed_for_it(opened, rule, name, reason):
    recording = recorded(rule, simulations=6)
    root = recording.nodes[0]
    untried = next(a for a in root.legal_actions if not root.visit_counts[a])
    page = opened(pinned_root(recording))
    expect(part(page, "settings")).to_contain_text(f"c = 0.3 · {name} ·")
    row = part(page, "panel").locator(f'tr[data-move="{untried}"]')
    row.click()
    scores = recording.select(root)
    assumed = scores[untried] - 0.3 * root.prior[untried] * 6**0.5
    said = re.search(r"Q \((\S+)\), assumed", row.get_attribute("title")).group(1)
    assert number(said) == pytest.approx(assumed, abs=0.00501)
    score = row.locator("td").last.inner_text()
    assert number(score) == pytest.approx(scores[untried], abs=0.00501)
    expect(part(page, "formula")).to_contain_text(reason)


def test_bars_of_the_table_are_as_long_as_q_and_u(opened, recording):
    page = opened(Explorer(recording, step=150, phase="select"))
    visits, values = replay(recording.to_dict(), 149)
    rule = _scores_at_root(recording, visits, values)
    lanes = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.azl-compare tr[data-move]')]
          .map(row => [row.dataset.move, [...row.querySelectorAll('.azl-lane rect')]
            .map(r => Number(r.getAttribute('width')))]))"""
    )
    unit, action = [], recording.to_dict()["nodes"]["action"]
    for i, score in rule.items():
        q, (long, short) = values[i] / visits[i], lanes[str(action[i])]
        unit += [long / abs(q), short / (score - q)]
    assert len(unit) >= 8
    assert max(unit) == pytest.approx(min(unit), rel=0.1)


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
    page = opened(Explorer(recording), reduced_motion="reduce")
    seen, root = _edge_widths(page, recording), recording.nodes[0]
    assert len(seen) >= 5
    for action, width in seen.items():
        share = root.visit_counts[action] / sum(root.visit_counts)
        assert width == pytest.approx(1.2 + 8 * share**0.5, abs=0.06)
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
    page = opened(Explorer(recorded(uct(1.0), random_rollout())))
    assert page.locator(".azl-prior").count() == 0


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
        width = next(w for ex, ey, w in ends if abs(ex - x) < 0.6 and abs(ey - y) < 18)
        found[recording.parents[node][1]] = width
    return found


def test_why_a_move_was_chosen_is_said_with_its_prior(opened, recording):
    page = opened(Explorer(recording, phase="select"))
    texts = page.evaluate(
        """() => {
          const press = name => document.querySelector(`[data-do="${name}"]`).click(), said = [];
          for (let k = 0; k < 60; k++) {
            said.push(['head', 'say'].map(
              name => document.querySelector(`[data-part="${name}"]`).textContent).join(' '));
            press('sooner');
            press('select');
          }
          return said;
        }"""
    )
    assert any("for its prior is" in text for text in texts)
    assert all(text.startswith("1 Select") for text in texts)


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_for_axe_to_find(opened, recording, scheme):
    for phase in ("select", "evaluate"):
        explorer = Explorer(recording, step=150, phase=phase, notice="Stopped early.")
        page = opened(explorer, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
        page.get_by_role("button", name="Icicle").click()
        page.get_by_role("button", name="Find and filter").click()
        part(page, "find").fill("9 9")
        page.keyboard.press("Enter")
        assert_accessible(page, f"{scheme}, priors, {phase}")
