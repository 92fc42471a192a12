"""What the explorer says and shows of a search: sentences, ends of games, legend, labels."""

import itertools
import json
import math
import re

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import MCTS, Recorder, puct, random_rollout, record_search, uct
from azlearn.viz import explore
from azlearn.viz.replaying import path_to, replay
from tests.axe import assert_accessible
from tests.viz.netlike import netlike
from tests.viz.page import at, drawn, number, part

GAME = ConnectFour()
FINISHED = GAME.from_moves("112233")  # ● wins with 4


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
    tries = {"tried less": -1, "as often": 0, "tried more": 1}
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
    assert any("for its prior is" in text for text in texts)


def test_a_move_that_was_followed_against_its_score_is_no_winner(said):
    recording = record_search(GAME, GAME.from_moves("44"), flat, random_rollout(), 60, 5)
    record = recording.to_dict()
    action = record["nodes"]["action"][path_to(record, record["steps"]["leaf"][59])[1]]
    record["steps"]["scores"][59][0][action] = -0.75
    text = said(record, "select")[59]
    label = record["game"]["labels"][action]
    others = [x for x in record["steps"]["scores"][59][0] if x != -0.75]
    below = f"{max(others) + 0.75:.2f}"
    assert f"picks {label}. Its score is not the highest: it is {below} below that of" in text


def test_equal_scores_go_to_the_first_only_if_it_was_the_first(said):
    recording = record_search(GAME, GAME.from_moves("44"), flat, random_rollout(), 60, 5)
    record = recording.to_dict()
    action = record["nodes"]["action"][path_to(record, record["steps"]["leaf"][59])[1]]
    record["steps"]["scores"][59][0] = [-1.0] * 7
    for other in (0, 6):
        scores = [-1.0] * 7
        scores[action] = scores[other] = 0.5
        record["steps"]["scores"][59][0] = scores
        text = said(record, "select")[59]
        if other != action:
            assert "are equal" in text
            assert ("so the first goes" in text) == (action < other)


def test_backup_names_the_player_whose_value_it_is(said, explorer):
    record = explorer.record
    leaf, value = record["steps"]["leaf"], record["steps"]["value"]
    for row, text in enumerate(said(record, "backup")[1:], 1):
        who = ("Red", "Yellow")[record["nodes"]["to_play"][leaf[row]]]
        written = f"{value[row]:+g}".replace("-", "−").replace("+0", "0")
        assert f"From the leaf ({written} for {who}, to move there) up" in text


@pytest.fixture(scope="module")
def finished():
    return explore(GAME, FINISHED, num_simulations=120, seed=1)


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
        assert "every move of the path gains 3 visits." in text
    assert all("gains a visit." in text for text in said(explorer.record, "backup"))


def test_a_value_mixed_with_a_rollout_names_no_winner(said):
    def mixed(game, state, rng):
        result = random_rollout()(game, state, rng)
        return result._replace(value=0.5 * result.value + 0.1)

    recording = record_search(GAME, GAME.initial_state(), uct(1.0), mixed, 30, 0)
    for row, text in zip(recording.rows, said(recording.to_dict(), "evaluate"), strict=True):
        assert "The leaf is played out, " in text
        assert "a win for" not in text
        assert f"{abs(row.value):.2f}"[-2:] in text


def test_a_finished_game_says_who_has_won_whatever_hangs_below(opened, finished):
    record = finished.record
    steps, outcome = record["steps"], record["nodes"]["outcome"]
    won = next(i for i, z in enumerate(outcome) if z is not None)
    row = max(r for r, leaf in enumerate(steps["leaf"]) if leaf == won)
    page = opened(at(finished, row + 1, "backup"), reduced_motion="reduce")
    card = page.locator(f'.azl-node[data-node="{won}"]')
    expect(card.locator(".azl-over-text")).to_have_text("won")
    flag, pill = (card.locator(name).bounding_box() for name in (".azl-over", ".azl-pill"))
    assert pill["y"] >= flag["y"] + flag["height"] - 1.5  # what hangs below does not cover it
    ended = sum(outcome[int(i)] is not None for i in drawn(page))
    assert page.locator(".azl-sheet .azl-over").count() == ended
    svg = finished.to_svg()
    assert ">won<" in svg
    assert 'stroke-linecap="round"' in svg  # the outline of the line


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
    legend, key = part(page, "key"), page.get_by_role("button", name="Key and keyboard")
    expect(legend).to_be_hidden()
    key.click()
    expect(legend).to_be_visible()
    expect(key).to_have_attribute("aria-expanded", "true")
    for word in ("path of this simulation", "last move", "Q, −1 to +1", "bonus", "would be played"):
        expect(legend).to_contain_text(word)
    assert_accessible(page, "the key is open")
    page.keyboard.press("Escape")
    expect(legend).to_be_hidden()
    key.press(" ")
    expect(legend).to_be_visible()
    page.locator(".azl-tree").click(position={"x": 5, "y": 5})
    expect(legend).to_be_hidden()
    assert page.locator(".azl-x").get_attribute("data-step") == "200"  # nothing has played


def test_the_widest_bands_have_a_label_at_their_end(opened, explorer):
    page = opened(explorer)
    visits = replay(explorer.record)[0]
    children = [i for i, up in enumerate(explorer.record["nodes"]["parent"]) if up == 0]
    total = sum(visits[i] for i in children)
    labels = page.locator(".azl-end")
    named = {int(i) for i in labels.evaluate_all("all => all.map(e => e.dataset.end)")}
    wide = sorted((i for i in children if visits[i] >= 0.04 * total), key=lambda i: -visits[i])
    assert named == set(wide[: len(named)])
    assert len(named) == min(4, len(wide))
    boxes = sorted((b["y"], b["y"] + b["height"]) for b in (e.bounding_box() for e in labels.all()))
    middle = [(top + bottom) / 2 for top, bottom in boxes]
    assert all(b - a > 8.5 for a, b in itertools.pairwise(middle))
    # Only the current path's band has a colour of its own.
    fills = page.locator(".azl-time g path").evaluate_all(
        "all => all.map(e => e.attributes.fill.value)"
    )
    assert set(fills) == {"var(--azl-band0)", "var(--azl-band1)"}
    assert part(page, "timeline").locator(".azl-lit").get_attribute("d")
