"""What the explorer says and shows of a search: sentences, scores of known and unknown rules, with
priors, and infinite, ends of games, legend, labels.
"""

import json
import math
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Recorder, gumbel, puct, random_rollout, record_search, uct
from azlearn.viz import Explorer, compare, explore
from azlearn.viz.replaying import replay
from tests.axe import assert_accessible
from tests.viz.page import at, drawn, kids, moves_to, number, part, recorded
from tests.viz.stand_ins import netlike

GAME = ConnectFour()


def adding(bonus):
    """A rule of one's own: Q and a bonus of the visits; what was never tried goes first."""

    def rule(node):
        edges = zip(node.visit_counts, node.value_sum, strict=True)
        return [w / n + bonus(n) if n else 2.0 for n, w in edges]

    return rule


loyal = adding(lambda n: 0.05 * math.sqrt(n))  # a faulty one: what is added grows with N
flat, cautious = adding(lambda n: 0.25), adding(lambda n: 1 / n)


@pytest.fixture
def said(in_browser):
    """A function: the sentences of one phase of a record, after every row, without marks."""
    return lambda record, phase: in_browser(
        """([text, phase]) => {
          const replay = new Replay(JSON.parse(text));
          return replay.record.steps.leaf.map((_, row) => {
            replay.seek(phase === "backup" ? row + 1 : row);
            const box = document.createElement("p");
            put(box, say(replay, row + 1, phase));
            return box.textContent.replace(/\\s+/g, " ");
          });
        }""",
        [json.dumps(record), phase],
    )


def sign(x):
    return 0 if abs(x) < 1e-9 else 1 if x > 0 else -1


@pytest.mark.parametrize("rule", [loyal, cautious])
def test_of_a_rule_that_is_not_known_it_says_what_the_record_says(said, rule):
    """Every claim about mean, bonus and visits is checked against N, W and the written scores."""
    recording = record_search(GAME, GAME.from_moves("44"), rule, random_rollout(), 150, 5)
    record = recording.to_dict()
    labels, heard, checked = record["game"]["labels"], said(record, "select"), set()
    means = {"its mean is worse": -1, "the means are equal": 0, "its mean is better": 1}
    bonuses = {"its bonus is smaller": -1, "the bonuses are equal": 0, "its bonus is larger": 1}
    tries = {"tried less": -1, "equally often": 0, "tried more": 1}
    for row, text in enumerate(heard):
        found = re.search(r"picks (\S+)\. It leads (\S+) by [\d.]+: (.*)\.$", text)
        if not found or ("its mean" not in found[3] and "the means" not in found[3]):
            continue
        visits, values = replay(record, row)
        at_root = {
            record["nodes"]["action"][i]: (visits[i], values[i] / visits[i])
            for i, up in enumerate(record["nodes"]["parent"])
            if up == 0 and visits[i]
        }
        scores = record["steps"]["scores"][row][0]
        (n, q), (m, r) = (at_root[labels.index(found[k])] for k in (1, 2))
        u, v = (scores[labels.index(found[k])] - x for k, x in ((1, q), (2, r)))
        claims = [
            next(value for words, value in table.items() if words in found[3])
            for table in (means, bonuses, tries)
        ]
        assert claims == [sign(q - r), sign(u - v), sign(n - m)], text
        usual = sign(u - v) == -sign(n - m)
        assert ("although" in text) != usual, text
        checked.add(tuple(claims))
    assert len(checked) > 2
    if rule is loyal:
        assert (1, 1, 1) in checked  # a better mean, a larger bonus, and tried more


def test_why_a_move_was_chosen_is_said_with_its_prior(said):
    recording = record_search(GAME, GAME.from_moves("44443"), puct(1.5), netlike, 200, 3)
    texts = said(recording.to_dict(), "select")
    assert any("its bonus is larger (prior " in text for text in texts)


def test_scores_against_which_a_move_was_followed_and_equal_ones(said):
    recording = record_search(GAME, GAME.from_moves("44"), flat, random_rollout(), 60, 5)
    record = recording.to_dict()
    labels, action = record["game"]["labels"], moves_to(record, record["steps"]["leaf"][59])[0]
    for other in {0, 6} - {action}:
        scores = record["steps"]["scores"][59][0] = [-1.0] * 7
        scores[action], scores[other] = -0.75, 0.5
        told = f"picks {labels[action]}. Its score is not the highest: it is 1.25 below the score"
        assert told in said(record, "select")[59]
        scores[action] = 0.5
        text = said(record, "select")[59]
        assert "It ties with" in text
        assert ("ties go to the first move" in text) == (action < other)


def test_backup_names_the_player_whose_value_it_is(said, explorer):
    record = explorer.record
    leaf, value = record["steps"]["leaf"], record["steps"]["value"]
    for row, text in enumerate(said(record, "backup")[1:], 1):
        who = ("Red", "Yellow")[record["nodes"]["to_play"][leaf[row]]]
        written = f"{value[row]:+g}".replace("-", "−").replace("+0", "0")
        assert f"The leaf is worth {written} for {who} (to move)." in text


class SettingOut(MCTS):
    """Threads that set out and do not come home: each counts its path as lost three times."""

    def backup(self, path, leaf, value):
        for node, action in path:
            node.visit_counts[action] += 3
            node.value_sum[action] -= 3


def test_backup_says_how_many_visits_are_gained(said, explorer):
    recorder = Recorder()
    SettingOut(GAME, uct(1.0), random_rollout(), recorder=recorder).run(GAME.initial_state(), 20)
    for text in said(recorder.recording().to_dict(), "backup"):
        assert "Every move on the path gains 3 visits." in text
    assert all("gains a visit." in text for text in said(explorer.record, "backup"))


def test_a_value_mixed_with_a_rollout_names_no_winner(said):
    def mixed(game, state, rng):
        result = random_rollout()(game, state, rng)
        return result._replace(value=0.5 * result.value + 0.1)

    recording = record_search(GAME, GAME.initial_state(), uct(1.0), mixed, 30, 0)
    for row, text in zip(recording.rows, said(recording.to_dict(), "evaluate"), strict=True):
        assert "The leaf is played out in " in text
        assert "a win for" not in text
        assert f"{abs(row.value):.2f}"[-2:] in text


def test_a_finished_game_says_who_has_won_whatever_hangs_below(opened):
    start = GAME.from_moves("112233")  # ● wins with 4
    finished = explore(GAME, start, num_simulations=120, seed=1)
    record = finished.record
    steps, outcome = record["steps"], record["nodes"]["outcome"]
    won = next(i for i in kids(record, 0) if record["nodes"]["action"][i] == 3)
    row = max(r for r, leaf in enumerate(steps["leaf"]) if leaf == won)
    page = opened(at(finished, row + 1, "backup"), reduced_motion="reduce")
    card = page.locator(f'.azl-node[data-node="{won}"]')
    expect(card.locator(".azl-over-text")).to_have_text("won")
    expect(card.locator(".azl-line")).to_have_count(1)
    flag, pill = (card.locator(name).bounding_box() for name in (".azl-over", ".azl-pill"))
    assert pill["y"] >= flag["y"] + flag["height"] - 1.5  # what hangs below does not cover it
    ended = sum(outcome[int(i)] is not None for i in drawn(page))
    assert page.locator(".azl-sheet .azl-over").count() == ended
    svg = finished.to_svg()
    assert ">won<" in svg
    assert 'stroke-linecap="round"' in svg  # the outline of the line
    # The winning line is marked on the board, too.
    card.click()
    board = part(page, "panel").locator(".azl-board")
    rings = board.locator('[stroke="var(--azl-path)"]')
    cell = (float(board.get_attribute("viewBox").split()[2]) - 4) / 7
    seen = {
        tuple(round(float(r.get_attribute(name)) / cell - 0.5) for name in ("cx", "cy"))
        for r in rings.all()
    }
    assert seen == {(i % 7, i // 7) for i in GAME.highlights(GAME.play(start, 3))}


def test_the_lanes_and_the_split_lead_say_the_same_as_the_scores(opened, explorer):
    """The chosen move's lead is printed in the tree, the table and the split; its parts add up."""
    row = 199
    page = opened(at(explorer, row + 1, "select"), reduced_motion="reduce")
    panel = part(page, "panel")
    split = panel.locator(".azl-split").get_attribute("aria-label")
    parts = [number(x) for x in re.findall(r"[+−]?\d+\.\d+", split)]
    assert parts[0] + parts[1] == pytest.approx(parts[2], abs=1e-9)  # as printed
    scores = [number(t) for t in panel.locator("td.azl-sc").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    digits = len(split.split(".")[-1])
    assert scores[0] - scores[1] == pytest.approx(parts[2], abs=1.01 * 10**-digits)
    assert number(page.locator(".azl-now-lead text").text_content()) == parts[2]
    expect(panel.locator("tr.azl-best")).to_have_count(1)
    assert panel.locator(".azl-lane .azl-u").count() == len(scores)


def test_the_key_opens_by_mouse_and_keyboard_and_is_accessible(opened, explorer):
    page = opened(at(explorer, 200, "select"), reduced_motion="reduce", bypass_csp=True)
    legend, key = part(page, "key"), page.get_by_role("button", name="Legend and keyboard")
    key.click()
    expect(legend).to_be_visible()
    expect(key).to_have_attribute("aria-expanded", "true")
    for word in ("path of this simulation", "last move", "Q, −1 to +1", "bonus", "would be played"):
        expect(legend).to_contain_text(word)
    assert_accessible(page, "the key is open")
    page.keyboard.press("Escape")
    expect(legend).to_be_hidden()
    key.press(" ")
    page.locator(".azl-tree").click(position={"x": 5, "y": 5})
    expect(legend).to_be_hidden()
    assert page.locator(".azl-x").get_attribute("data-step") == "200"  # nothing has played


def pinned_root(recording):
    """The panel on the root of the finished tree: its moves by the scores of the rule."""
    return Explorer(recording, selected=0)


@pytest.mark.parametrize("rule", [uct(1.0), puct(1.5)])
def test_table_and_formula_show_the_rules_own_scores(opened, rule):
    recording = recorded(select=rule, evaluate=netlike, simulations=200)
    page = opened(pinned_root(recording), reduced_motion="reduce")
    root, scores = recording.nodes[0], recording.select(recording.nodes[0])
    panel, best = part(page, "panel"), int(np.argmax(scores))
    rows = panel.locator("tr[data-move]")
    order = [int(row.get_attribute("data-move")) for row in rows.all()]
    assert order == sorted(root.legal_actions, key=lambda a: (-scores[a], a))
    for action in root.legal_actions:
        row = panel.locator(f'tr[data-move="{action}"]')
        cells, said = row.locator("td").all_inner_texts(), row.get_attribute("title")
        assert cells[0] == str(root.visit_counts[action])
        assert number(cells[-1]) == pytest.approx(scores[action], abs=0.00501)
        q, u = (number(re.search(rf"{name} ([+−]?[\d.]+)", said).group(1)) for name in "QU")
        assert q == pytest.approx(root.q_values[action], abs=0.00501)
        assert u == pytest.approx(scores[action] - root.q_values[action], abs=0.006)
    assert panel.locator("tr.azl-best").get_attribute("data-move") == str(best)
    formula = part(page, "formula").inner_text()
    assert re.search(rf"^{best + 1}\s", formula, re.MULTILINE)
    assert number(formula.split("= ")[-1]) == pytest.approx(scores[best], abs=0.0006)
    if recording.to_dict()["rule"]["name"] == "uct":
        return
    # Priors stand in the table, in the formula, and on the cards.
    for action in (2, 3):
        row = panel.locator(f'tr[data-move="{action}"]')
        assert row.locator("td").nth(1).inner_text() == f"{100 * root.prior[action]:.0f}%"
        row.click()
        text = part(page, "formula").inner_text()
        pattern = r"([+−][\d.]+) \+ ([\d.]+)·([\d.]+)·√(\d+)/(\d+) = (\S+)"
        q, c, p, total, n, result = map(number, re.search(pattern, text).groups())
        assert (n - 1, total, c) == (root.visit_counts[action], sum(root.visit_counts), 1.5)
        assert result == pytest.approx(q + c * p * total**0.5 / n, abs=0.002)
        assert result == pytest.approx(scores[action], abs=0.0006)
    record, cards = recording.to_dict(), drawn(page)
    priors = {i: root.prior[record["nodes"]["action"][i]] for i in kids(record, 0)}
    shown = [(cards[str(i)]["prior"], prior) for i, prior in priors.items() if str(i) in cards]
    assert len(shown) >= 5
    assert np.corrcoef(*np.array(shown).T)[0, 1] > 0.999


def test_an_untried_move_shows_the_value_assumed_for_it(opened):
    rule = puct(0.3, "parent", fpu_reduction=0.4)
    recording = recorded(select=rule, evaluate=netlike, simulations=6)
    root, scores = recording.nodes[0], recording.select(recording.nodes[0])
    untried = next(a for a in root.legal_actions if not root.visit_counts[a])
    page = opened(pinned_root(recording))
    expect(part(page, "settings")).to_contain_text("c = 0.3 · fpu = parent − 0.4·√ΣP ·")
    row = part(page, "panel").locator(f'tr[data-move="{untried}"]')
    row.click()
    assumed = scores[untried] - 0.3 * root.prior[untried] * 6**0.5
    said = re.search(r"Q \((\S+)\), assumed", row.get_attribute("title")).group(1)
    assert number(said) == pytest.approx(assumed, abs=0.00501)
    shown = number(row.locator("td").last.inner_text())
    assert shown == pytest.approx(scores[untried], abs=0.00501)
    expect(part(page, "formula")).to_contain_text("mean minus 0.40·√(ΣP of the tried moves)")


@pytest.mark.parametrize(
    ("game", "moves", "shape"), [(ConnectFour(), "44443", "column"), (TicTacToe(), "15", "cell")]
)
def test_in_evaluate_the_prior_lies_over_the_board(opened, game, moves, shape):
    options = {"select": puct(1.5), "evaluate": netlike, "num_simulations": 60}
    recording = explore(game, game.from_moves(moves), **options).recording
    row = [r for r in recording.rows if recording.nodes[r.leaf].outcome is None][-1]
    leaf, step = recording.nodes[row.leaf], recording.rows.index(row) + 1
    page = opened(Explorer(recording, step=step, phase="evaluate"), reduced_motion="reduce")
    panel = part(page, "panel")
    heat, board = panel.locator(".azl-heat"), panel.locator(".azl-board").bounding_box()
    assert [int(h.get_attribute("data-heat")) for h in heat.all()] == leaf.legal_actions
    shares = [float(h.get_attribute("fill-opacity")) for h in heat.all()]
    priors = [leaf.prior[a] for a in leaf.legal_actions]
    assert np.argmax(shares) == np.argmax(priors)
    assert np.corrcoef(shares, priors)[0, 1] > 0.99
    percents = panel.locator(".azl-percent").all_text_contents()
    assert percents == [str(round(100 * p)) for p in priors]
    assert (heat.first.bounding_box()["height"] > board["height"] * 0.7) == (shape == "column")
    expect(panel).to_contain_text(f"{abs(row.value):.2f}")
    best = leaf.legal_actions[int(np.argmax(priors))]
    expect(part(page, "say")).to_contain_text(f"Its prior is highest for move {best + 1}")
    (pill,) = drawn(page)[str(row.leaf)]["pills"]
    assert pill.startswith("value ")
    assert pill.endswith(f"{row.value:.2f}".lstrip("-")[-2:])


def test_a_rule_of_ones_own_shows_its_score_without_a_formula(opened):
    def cautious(node):
        edges = zip(node.visit_counts, node.value_sum, strict=True)
        return [w / n - 0.1 * n if n else 2.0 for n, w in edges]

    recording = recorded(select=cautious, simulations=80)
    page = opened(Explorer(recording, step=80, phase="select"))
    chosen = moves_to(recording.to_dict(), recording.rows[-1].leaf)[0]
    formula = part(page, "formula").inner_text()
    assert formula.startswith(str(chosen + 1))
    assert "the viewer does not know the formula of this rule" in formula
    assert part(page, "panel").locator("thead th").last.inner_text() == "score"
    said = re.search(r"score = (\S+) = Q (\S+), bonus (\S+), as recorded", formula)
    score, q, bonus = map(number, said.groups())
    assert score == pytest.approx(recording.rows[-1].scores[0][chosen], abs=0.0006)
    assert q + bonus == pytest.approx(score, abs=1e-9)  # as printed
    expect(part(page, "settings")).to_contain_text("Custom rule")
    page = opened(pinned_root(recording))  # nothing is scored after a backup: it says why
    expect(part(page, "panel").locator(".azl-sc")).to_have_count(0)
    assert "does not know the formula of this rule, and its scores were recorded only" in (
        part(page, "formula").inner_text()
    )
    page = opened(Explorer(recording.tree, selected=0))
    assert "formula of this rule, and no scores were recorded" in part(page, "formula").inner_text()


def test_gumbels_scores_are_not_split(opened):
    """They are no sum of Q and a bonus; −∞ have the moves whose turn it is not."""
    search = explore(TicTacToe(), select=gumbel(4), evaluate=netlike, num_simulations=30)
    assert search.record["rule"] == {"name": "custom", "label": "Gumbel", "adds": False}
    search.step, search.phase = 30, "select"
    page = opened(search)
    assert part(page, "settings").text_content().startswith("Gumbel")
    said = part(page, "panel").text_content()
    assert "as recorded; it is not a sum of Q and a bonus" in said
    assert "part by part" not in said
    scores = page.locator(".azl-sc").all_text_contents()
    assert scores[-1] == "−∞"
    assert "All other moves have the score −∞" in page.locator(".azl-x").text_content()
    visits = [int(n) for n in page.locator("td.azl-cN").all_text_contents()]
    out = [n for n, score in zip(visits, scores, strict=True) if score == "−∞"]
    assert out == sorted(out, reverse=True)
    other = explore(TicTacToe(), num_simulations=30)
    assert any("Gumbel" in label for label in compare(search, other).labels)


def test_a_score_of_minus_infinity_is_called_that(opened):
    def shunning(node):
        """Never move 1; every other move less, the more it was tried."""
        return [-math.inf, *(-float(n) for n in node.visit_counts[1:])]

    recording = recorded(select=shunning, simulations=30)
    record = recording.to_dict()
    page = opened(Explorer(recording, step=20, phase="select"), reduced_motion="reduce")
    row = part(page, "panel").locator('[data-move="0"]')
    expect(row.locator(".azl-sc")).to_have_text("−∞")
    expect(row).to_have_attribute("title", "N 0, W –, no Q yet")
    assert "1e+300" not in page.locator(".azl").inner_text()
    # A followed move with that score: the sentence and the pill.
    action = moves_to(record, record["steps"]["leaf"][19])[0]
    (child,) = (i for i in kids(record, 0) if record["nodes"]["action"][i] == action)
    record["steps"]["scores"][19][0] = [-1e300] * 7
    page = opened(Explorer(record, step=20, phase="select"), reduced_motion="reduce")
    assert drawn(page)[str(child)]["pills"] == ["–"]  # ∞ less ∞ is no lead
    expect(part(page, "say")).to_contain_text("It ties with")
    expect(part(page, "panel").locator("tr.azl-best .azl-sc")).to_have_text("−∞")


@pytest.mark.parametrize(
    ("second", "third", "zoom"),
    [
        (1e-7, 0.4, None),  # an error of rounding is not magnified
        (0.0, 0.0, None),  # nothing to tell apart
        (2e-3, 0.4, 50),
    ],
)
def test_the_zoom_is_of_differences_that_are_printed(in_browser, second, third, zoom):
    text = in_browser(
        """([text, scores]) => {
          const replay = new Replay(JSON.parse(text)), plan = { row: 20, rows: 9 };
          const moves = replay.moves(0).slice(0, 3).map((m, k) => ({ ...m, score: scores[k] }));
          const [won, other] = moves;
          return textOf(comparison(replay, 0, { moves, won, second: other }, 300, plan));
        }""",
        [json.dumps(recorded(moves="112233").to_dict()), [0.5, 0.5 - second, 0.5 - third]],
    )
    found = re.search(r"zoom ×([\d,.]+)", text)
    if zoom is None:
        assert found is None
    else:
        assert zoom <= float(found[1].replace(",", "")) < 10 * zoom
