"""The bandit in the page: what pulls change, UCB1 and regret against Python, keys, narrow pages."""

import math

import pytest
from playwright.sync_api import expect

from azlearn.viz import assets, bandit
from tests.axe import assert_accessible
from tests.viz.page import part
from tools.notebooks import KIND, keep_states, kept_state

SEED, NUM_ARMS = 66, 5  # what bandit() has
PULLS = [0, 1, 2, 3, 4, 2, 2, 1, 3, 2, 1, 1] + 38 * [1]  # by hand, until the means are shown


@pytest.fixture(scope="module")
def arms(browser):
    """A function that evaluates JavaScript where the names of arms.js are known."""
    page = browser.new_page()
    page.set_content("<p>arms</p>")
    page.add_script_tag(content=assets.module("arms.js"))
    yield page.evaluate
    page.close()


@pytest.fixture(scope="module")
def machines(arms):
    """A function: the true means and, for each arm, what its first pulls pay [num_arms, 400]."""
    read = """([numArms, seed]) => {
      const means = trueMeans(numArms, seed), first = [...Array(400).keys()];
      return [means, means.map((_, arm) => first.map(n => reward(means, seed, arm, n)))];
    }"""
    return lambda num_arms=NUM_ARMS, seed=SEED: arms(read, [num_arms, seed])


def ucb1(paid, num_pulls, c, begun=()):
    """The arms that UCB1 pulls after those in ``begun``; ties go to the first."""
    pulls = list(begun)
    while len(pulls) < len(begun) + num_pulls:
        scores = []
        for arm, pays in enumerate(paid):
            n = pulls.count(arm)
            bonus = c * math.sqrt(math.log(len(pulls)) / n) if n else math.inf
            scores.append(sum(pays[:n]) / n + bonus if n else math.inf)
        pulls.append(scores.index(max(scores)))
    return pulls


def regret(means, pulls):
    return f"{sum(max(means) - means[arm] for arm in pulls):.1f}"


def shown(page, name):
    """Of each arm: "n", "q", "score", "truth" or "theirs"."""
    return page.locator(f".azl-b-cell-{name}").all_inner_texts()


def regrets(page):
    return {name: page.locator(f'[data-regret="{name}"]').inner_text() for name in NAMES}


NAMES = ("you", "ucb1", "uniform")


@pytest.fixture
def page(opened):
    return opened(bandit(), reduced_motion="reduce", bypass_csp=True)


def pull(page, pulls):
    page.locator("[data-arm]").nth(pulls[0]).click()
    for arm in pulls[1:]:
        page.keyboard.press(str(arm + 1))


@pytest.mark.parametrize("c", [0.0, 0.3, 1.0, 2 * math.sqrt(2)])
def test_ucb1_in_the_page_pulls_what_it_pulls_in_python(arms, machines, c):
    script = """([numArms, seed, c]) => {
      const pulls = [];
      const note = arm => { pulls.push(arm); return arm; };
      played(trueMeans(numArms, seed), seed, 300, game => note(game.ucb1(c)));
      return pulls;
    }"""
    for num_arms, seed in [(2, 0), (5, SEED), (7, 3), (9, 2**31 - 1)]:
        paid = machines(num_arms, seed)[1]
        assert arms(script, [num_arms, seed, c]) == ucb1(paid, 300, c)


def test_machines_pay_plus_or_minus_one_with_their_mean_and_one_arm_is_clearly_the_best(machines):
    means, bests = [], set()
    for seed in range(40):
        drawn, paid = machines(seed=seed)
        first, second = sorted(drawn, reverse=True)[:2]
        assert first - second > 0.19
        assert first >= 0.3
        bests.add(drawn.index(first))
        for mean, pays in zip(drawn, paid, strict=True):
            assert set(pays) <= {1, -1}
            spread = math.sqrt((1 - mean**2) / len(pays))
            assert abs(sum(pays) / len(pays) - mean) < 4.5 * spread
        means.append(tuple(drawn))
    assert len(set(means)) == 40
    assert bests == set(range(NUM_ARMS))


def test_a_pull_changes_n_and_mean(page, machines):
    paid = machines()[1]
    assert (shown(page, "n"), shown(page, "q")) == (["0"] * 5, ["–"] * 5)
    pull(page, [2, 2, 0, 2])
    last = {1: "+1", -1: "−1"}[paid[2][2]]
    expect(part(page, "say")).to_have_text(f"Arm 3 pays {last}. 46 pulls left.")
    means = [f"{sum(paid[arm][:n]) / n:+.2f}".replace("-", "−") for arm, n in ((0, 1), (2, 3))]
    assert shown(page, "n") == ["1", "0", "3", "0", "0"]
    assert shown(page, "q") == [means[0], "–", means[1], "–", "–"]
    expect(page.get_by_role("button", name="Pull arm 3")).to_have_accessible_name(
        f"Pull arm 3, paid {last} last, 3 pulls, mean {means[1]}"
    )
    page.keyboard.press("7")  # there is no such arm
    page.keyboard.press("Control+1")
    assert page.locator(".azl-bandit").get_attribute("data-pulls") == "4"


def test_regret_grows_every_ten_pulls_until_the_means_are_shown(page, machines):
    means, paid = machines()
    beside, in_turn = ucb1(paid, 51, 1.0), [t % NUM_ARMS for t in range(51)]

    def expected(t):
        players = zip(NAMES, ([*PULLS, 0], beside, in_turn), strict=True)
        return {name: regret(means, pulls[:t]) for name, pulls in players}

    pull(page, PULLS[:9])
    assert set(regrets(page).values()) == {""}
    pull(page, PULLS[9:10])
    assert regrets(page) == expected(10)
    pull(page, PULLS[10:29])
    assert regrets(page) == expected(20)
    assert shown(page, "truth") == shown(page, "theirs") == []
    pull(page, PULLS[29:])
    assert regrets(page) == expected(50)
    assert shown(page, "truth") == [f"{mean:+.2f}".replace("-", "−") for mean in means]
    assert shown(page, "theirs") == [str(beside[:50].count(arm)) for arm in range(NUM_ARMS)]
    best = means.index(max(means))
    said = part(page, "say").inner_text()
    yours, theirs = expected(50)["you"], expected(50)["ucb1"]
    winner = "You beat UCB1" if float(yours) < float(theirs) else "UCB1 beats you"
    assert said.startswith(f"{winner}: after 50 pulls, ")
    assert f"Arm {best + 1} is the best: you gave it {PULLS.count(best)} pulls" in said
    pull(page, [0])
    assert regrets(page) == expected(51)


def test_ucb1_takes_over_from_what_the_reader_has_found(page, machines):
    means, paid = machines()
    begun = [3, 3, 3, 0, 3, 3, 1]
    pull(page, begun)
    page.get_by_role("button", name="UCB1’s scores").click()
    following = ucb1(paid, 100, 1.0, begun)
    for arm in range(NUM_ARMS):  # the highest score is where it goes on
        name = page.locator("[data-arm]").nth(arm).get_attribute("aria-label")
        assert ("the highest" in name) == (arm == following[len(begun)])
    page.get_by_role("button", name="take over").click()
    assert shown(page, "n") == [str(following.count(arm)) for arm in range(NUM_ARMS)]
    assert regrets(page)["you"] == regret(means, following)
    expect(part(page, "say")).to_contain_text("After 107 pulls, 100 of them by UCB1,")
    scores = [float(text) for text in shown(page, "score")]
    for arm, score in enumerate(scores):
        n = following.count(arm)
        right = sum(paid[arm][:n]) / n + math.sqrt(math.log(107) / n)
        assert score == pytest.approx(right, abs=0.0051)


def test_the_slider_gives_ucb1_another_c_from_its_first_pull(page, machines):
    means, paid = machines()
    pull(page, PULLS)
    part(page, "c").press("End")
    expect(part(page, "c-text")).to_have_text("8")
    now = regret(means, ucb1(paid, 50, 8.0))
    expect(part(page, "say")).to_have_text(f"With c = 8, UCB1’s regret after 50 pulls is {now}.")
    assert regrets(page) == {**regrets(page), "ucb1": now, "you": regret(means, PULLS)}


def test_other_machines_start_a_new_game_with_the_next_seed(page, machines):
    pull(page, PULLS[:12])
    page.get_by_role("button", name="New machines").click()
    expect(part(page, "seed")).to_have_text("seed 67")
    assert shown(page, "n") == ["0"] * 5
    page.keyboard.press("4")  # the focus is still in the widget
    assert shown(page, "q")[3] == {1: "+1.00", -1: "−1.00"}[machines(seed=67)[1][3][0]]
    page.get_by_role("button", name="Reveal").click()
    best = max(machines(seed=67)[0])
    assert shown(page, "truth").index(f"{best:+.2f}") == machines(seed=67)[0].index(best)


def test_a_pull_ends_the_motion_of_a_takeover(opened):
    moving = opened(bandit(num_arms=3), reduced_motion="no-preference")
    moving.get_by_role("button", name="take over").click()
    moving.keyboard.press("2")
    expect(moving.locator(".azl-bandit")).to_have_attribute("data-pulls", "101")
    assert sum(map(int, shown(moving, "n"))) == 101
    moving.get_by_role("button", name="take over").click()
    expect(moving.locator(".azl-bandit")).to_have_attribute("data-pulls", "201")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened, scheme):
    page = opened(bandit(), color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
    assert_accessible(page, f"{scheme}, before the first pull")
    pull(page, PULLS[:20])
    page.get_by_role("button", name="UCB1’s scores").click()
    assert_accessible(page, f"{scheme}, scores")
    page.get_by_role("button", name="take over").click()
    page.get_by_role("button", name="log axis").click()
    page.mouse.move(0, 0)
    assert_accessible(page, f"{scheme}, the end, on a logarithmic axis")


@pytest.mark.parametrize("num_arms", [2, 5, 9])
def test_fits_a_phone(opened, num_arms):
    page = opened(bandit(num_arms), width=390, reduced_motion="reduce")
    page.get_by_role("button", name="UCB1’s scores").click()
    page.get_by_role("button", name="take over").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("[data-arm]").count() == num_arms
    cut = "e => e.scrollWidth > e.clientWidth + 1"
    assert not any(card.evaluate(cut) for card in page.locator("[data-arm]").all())


def test_settings_out_of_range_are_refused():
    for options, message in [
        ({"num_arms": 1}, "num_arms must be 2 to 9, not 1"),
        ({"num_arms": 10}, "num_arms must be 2 to 9, not 10"),
        ({"seed": -1}, "seed must be 0 to 2147483647, not -1"),
        ({"c": -0.5}, "c must be a finite number, 0 or more, not -0.5"),
        ({"c": math.inf}, "c must be a finite number, 0 or more, not inf"),
    ]:
        with pytest.raises(ValueError, match=message):
            bandit(**options)


def test_the_page_follows_python(live):
    widget = bandit()
    tab = live(widget)
    widget.num_arms = 3
    tab.flush()
    expect(tab.page.locator("[data-arm]")).to_have_count(3)
    expect(part(tab.page, "title")).to_have_text("Three slot machines")


def test_a_notebook_keeps_it_and_shows_a_picture_with_words():
    import nbformat

    widget = bandit(num_arms=4, seed=9, c=0.5)
    data, _ = widget._repr_mimebundle_()
    assert "4 slot machines" in data["text/html"]
    assert "run the cell" in data["text/html"]
    output = nbformat.v4.new_output("execute_result", data, execution_count=1)
    states = {widget.model_id: {"state": widget.get_state()}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("b", outputs=[output])])
    notebook.metadata["widgets"] = {
        "application/vnd.jupyter.widget-state+json": {"state": states},
    }
    keep_states(notebook)
    kept = notebook.cells[0].outputs[0].data
    assert KIND in kept
    assert kept_state(kept) == ("bandit", {"num_arms": 4, "seed": 9, "c": 0.5})


def test_draws_itself_as_a_part_of_another_page(fresh):
    page = fresh(900, 700, reduced_motion="reduce")
    drawn = assets.element("bandit", {"num_arms": 6, "seed": 1, "c": 2.0}, still="<p>still</p>")
    page.set_content(f"<style>{assets.sheet()}</style><main>{drawn}</main>")
    page.add_script_tag(content=assets.script())
    expect(page.locator("[data-arm]")).to_have_count(6)
    expect(part(page, "c-text")).to_have_text("2")


@pytest.mark.slow
def test_keys_stay_in_the_widget_in_jupyterlab(lab_page):
    """A digit turns a selected cell into a heading."""
    lab_page.write_notebook("bandit.ipynb", ["from azlearn.viz import bandit\nbandit()"])
    lab_page.open("bandit.ipynb")
    lab_page.run_all()
    page = lab_page.page
    root = page.locator(".azl-bandit[data-ready]")
    part(page, "say").click()
    for key in "123":
        page.keyboard.press(key)
    expect(root).to_have_attribute("data-pulls", "3")
    part(page, "c").click()
    page.keyboard.press("1")
    expect(root).to_have_attribute("data-pulls", "4")
    assert page.locator(".jp-CodeCell").count() == 1
    assert page.locator(".jp-MarkdownCell").count() == 0
