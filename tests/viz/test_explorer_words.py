"""What the explorer says and shows of a search: sentences, ends of games, legend, labels."""

import itertools
import json
import math
import re

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import MCTS, Recorder, puct, random_rollout, record_search, uct
from azlearn.viz import Explorer, assets, compare, explore
from azlearn.viz.replaying import path_to, replay
from tests.axe import assert_accessible
from tests.viz.page import at, drawn, number, part, path_labels

GAME = ConnectFour()
FINISHED = GAME.from_moves("112233")  # ● wins with 4


def loyal(node):
    """A faulty rule: what is added grows with N."""
    return [
        w / n + 0.05 * math.sqrt(n) if n else 2.0
        for n, w in zip(node.visit_counts, node.value_sum, strict=True)
    ]


def flat(node):
    return [
        w / n + 0.25 if n else 2.0 for n, w in zip(node.visit_counts, node.value_sum, strict=True)
    ]


def cautious(node):
    return [
        w / n + 1 / n if n else 2.0 for n, w in zip(node.visit_counts, node.value_sum, strict=True)
    ]


@pytest.fixture(scope="module")
def said(browser):
    """A function: the sentences of one phase of a record, after every row, without marks."""
    page = browser.new_page()
    page.set_content("<p>sentences</p>")
    files = assets.EXPLORER[: assets.EXPLORER.index("shell.js")]  # any file after say.js as last
    page.add_script_tag(content=assets.module(files))

    def sentences(record, phase):
        return page.evaluate(
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

    yield sentences
    page.close()


def sign(x):
    return 0 if abs(x) < 1e-9 else 1 if x > 0 else -1


@pytest.mark.parametrize("rule", [loyal, flat, cautious])
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
    steps = record["steps"]
    (won,) = (
        i
        for i, up in enumerate(record["nodes"]["parent"])
        if up == 0 and record["nodes"]["outcome"][i] is not None
    )
    row = max(r for r, leaf in enumerate(steps["leaf"]) if leaf == won)
    for phase in ("select", "evaluate", "backup"):
        page = opened(at(finished, row + 1, phase), reduced_motion="reduce")
        seen = page.evaluate(
            """i => {
              const g = document.querySelector(`.azl-node[data-node="${i}"]`);
              const box = e => { const b = e.getBoundingClientRect(); return [b.top, b.bottom]; };
              return [g.querySelector('.azl-over-text').textContent,
                      box(g.querySelector('.azl-over')),
                      [...g.querySelectorAll('.azl-pill, .azl-stack')].map(box)];
            }""",
            won,
        )
        assert seen[0] == "won"
        assert seen[2]  # a badge, or a score, hangs below …
        assert all(top >= seen[1][1] - 1.5 for top, _ in seen[2])  # … and does not cover it
    assert page.locator(".azl-sheet .azl-over").count() == sum(
        record["nodes"]["outcome"][int(i)] is not None for i in drawn(page)
    )
    assert page.locator('.azl-node[data-node="0"] .azl-over').count() == 0


def test_still_pictures_say_it_too(finished):
    svg = finished.to_svg()
    assert ">won<" in svg
    assert 'stroke-linecap="round"' in svg  # the outline of the line
    full = GAME.from_moves("4724247566454221541577372166356267113353")
    quiet = explore(GAME, full, num_simulations=5, seed=0)
    outcomes = quiet.record["nodes"]["outcome"]
    assert 0 in outcomes
    assert quiet.to_svg().count(">draw<") == outcomes.count(0)


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_key_opens_by_mouse_and_keyboard_and_is_accessible(opened, explorer, scheme):
    page = opened(
        at(explorer, 200, "select"),
        color_scheme=scheme,
        reduced_motion="reduce",
        bypass_csp=True,
    )
    legend, key = part(page, "key"), page.get_by_role("button", name="Key and keyboard")
    expect(legend).to_be_hidden()
    key.click()
    expect(legend).to_be_visible()
    expect(key).to_have_attribute("aria-expanded", "true")
    for word in ("path of this simulation", "last move", "Q, −1 to +1", "bonus", "would be played"):
        expect(legend).to_contain_text(word)
    assert_accessible(page, f"{scheme}, the key is open")
    page.keyboard.press("Escape")
    expect(legend).to_be_hidden()
    part(page, "panel").locator("tbody tr").nth(2).hover()
    assert_accessible(page, f"{scheme}, a row is hovered")
    key.press(" ")
    expect(legend).to_be_visible()
    page.locator(".azl-tree").click(position={"x": 5, "y": 5})
    expect(legend).to_be_hidden()
    assert page.locator(".azl-x").get_attribute("data-step") == "200"  # nothing has played


def test_what_closes_moves_again_looks_like_it(opened, explorer):
    page = opened(explorer)
    stub = page.locator(".azl-stub").filter(has_text="+").first
    of = stub.get_attribute("data-stub")
    assert re.match(r"Show \d+ more", stub.locator("title").text_content())
    stub.click()
    stub = page.locator(f'.azl-stub[data-stub="{of}"]')
    expect(stub.locator("title")).to_have_text("Show fewer moves")
    expect(stub.locator(".azl-less")).to_have_count(1)
    assert stub.locator("text").count() == 0


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


def test_the_way_to_a_node_stays_in_one_line(opened):
    deep = explore(GAME, select=uct(0.1), num_simulations=300, seed=1)
    longest = max(deep.record["steps"]["leaf"], key=lambda i: len(path_to(deep.record, i)))
    page = opened(Explorer(deep.recording, selected=longest))
    crumbs = part(page, "crumbs")
    assert crumbs.bounding_box()["height"] < 30
    assert crumbs.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert crumbs.locator("button").first.inner_text() == "root"
    assert crumbs.locator("[aria-current]").inner_text() == path_labels(deep, longest)[-1]


def test_players_wear_their_colours_in_text_and_tools(opened, explorer):
    page = opened(at(explorer, 200, "select"))
    for place in ("what", "say", "crumbs", "panel"):
        stones = part(page, place).locator(".azl-st")
        assert stones.count() > 0
        fills = stones.locator("*").evaluate_all("all => all.map(e => e.getAttribute('fill'))")
        assert set(fills) <= {"var(--azl-first)", "var(--azl-second)"}
    assert "■" not in page.locator(".azl-x").inner_text()
    assert part(page, "what").inner_text().strip() == "Yellow to move"


def test_two_searches_share_one_key(opened):
    start = GAME.from_moves("44443")
    sides = [explore(GAME, start, select=rule, num_simulations=80) for rule in (uct(1.0), puct())]
    page = opened(compare(*sides))
    buttons = page.get_by_role("button", name="Key and keyboard")
    expect(buttons).to_have_count(1)
    buttons.click()
    expect(page.locator(".azl-pop >> visible=true")).to_have_count(1)
