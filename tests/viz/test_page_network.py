"""The network in a page: its answers beside PyTorch's, and what it says of a damaged one."""

import base64
import copy
import json

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour, Hex, TicTacToe
from azlearn.learning import NetworkEvaluator, ResNet, load_network
from azlearn.search import random_rollout
from azlearn.viz import assets
from azlearn.viz.page_network import network_spec

GAME = TicTacToe()
# A worker has no document: what needs one fails here.
WORKER = """
onmessage = ({ data: { spec, positions } }) => {
  const evaluate = readNetwork(spec);
  postMessage(positions.map(({ planes, legal }) => {
    const { logits, value } = evaluate(Float32Array.from(planes));
    return [prior(logits, legal), value];
  }));
};
"""
IN_WORKER = """([script, given]) => new Promise((resolve, reject) => {
  const worker = new Worker(URL.createObjectURL(new Blob([script])));
  worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
  worker.onerror = event => { worker.terminate(); reject(new Error(event.message)); };
  worker.postMessage(JSON.parse(given));
})"""
# Where the page's policy allows no WebAssembly, or the browser has none.
WITHOUT = "delete self.WebAssembly;\n"


def some_positions(game, n, seed):
    """Positions of a few random games, not finished."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < n:
        line = [game.initial_state()]
        while legal := game.legal_actions(line[-1]):
            line.append(game.next_state(line[-1], int(rng.choice(legal))))
        found += [line[i] for i in rng.choice(len(line) - 1, 5)]
    return found


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.set_content("<p>network</p>")
    page.add_script_tag(content=assets.module("network.js"))
    yield page
    page.close()


def answers(page, game, network, states, before=""):
    """(prior [n, num_actions], value [n]) of the page."""
    positions = [
        {"planes": game.encode(s).ravel().tolist(), "legal": game.legal_mask(s).tolist()}
        for s in states
    ]
    given = json.dumps({"spec": network_spec(game, network), "positions": positions})
    found = page.evaluate(IN_WORKER, [before + assets.module("network.js") + WORKER, given])
    prior, value = zip(*found, strict=True)
    return np.array(prior), np.array(value)


@torch.inference_mode()
def expected(game, network, states):
    """The same of PyTorch, batch norms and all."""
    logits, value = network(torch.tensor(np.array([game.encode(s) for s in states])).float())
    legal = torch.tensor(np.array([game.legal_mask(s) for s in states]))
    return logits.masked_fill(~legal, -torch.inf).softmax(1).numpy(), value.numpy()


def assert_close(found, wanted):
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-3, rtol=0)


@pytest.mark.parametrize("before", ["", WITHOUT], ids=["WebAssembly", "JavaScript"])
@pytest.mark.parametrize("name", ["connect4", "tictactoe", "go5"])
def test_a_shipped_network_answers_as_in_pytorch(page, name, before):
    game, network, _ = load_network(name)
    states = some_positions(game, 50, 0)
    assert_close(answers(page, game, network, states, before), expected(game, network, states))


def untrained(game, seed=0, **sizes):
    """A network whose weights, batch norms included, are large enough for answers to differ."""
    torch.manual_seed(seed)
    network = ResNet(game, **sizes)
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            for x in (module.weight, module.running_var):
                torch.nn.init.uniform_(x, 0.5, 2.0)
            for x in (module.bias, module.running_mean):
                torch.nn.init.normal_(x, std=0.1)
    torch.nn.init.normal_(network.value.weight)
    return network.eval()


@pytest.mark.parametrize(
    ("game", "sizes"),
    [
        (Hex(), {"channels": 12, "blocks": 1, "policy_filters": 2, "value_filters": 3}),
        (ConnectFour(), {"channels": 8, "blocks": 3, "value_hidden": 5, "value_norm": True}),
    ],
)
def test_any_size_will_do(page, game, sizes):
    network, states = untrained(game, **sizes), some_positions(game, 20, 1)
    wanted = expected(game, network, states)
    assert all(answer.std(0).max() > 0.01 for answer in wanted)
    assert_close(answers(page, game, network, states), wanted)


def test_the_browser_runs_the_assembled_code(browser):
    """Else every page would take the slow way, and nothing would tell."""
    page = browser.new_page()
    page.set_content("<p>product</p>")
    page.add_script_tag(content=assets.module("product.js"))
    assert page.evaluate("WebAssembly.validate(assembled())")
    page.close()


def test_where_no_move_is_legal_the_prior_is_zero(page):
    assert page.evaluate("prior(new Float32Array([5, -3]), [false, false])") == [0, 0]
    assert page.evaluate("prior(new Float32Array([9, 500, 500]), [0, 1, 1])") == [0, 0.5, 0.5]


@pytest.fixture(scope="module")
def spec():
    return network_spec(GAME, untrained(GAME, channels=8, blocks=1))


def error(page, spec, num_numbers):
    """What the page throws when it reads a network and evaluates an empty board."""
    return page.evaluate(
        """([spec, n]) => {
          try { readNetwork(spec)(new Float32Array(n)); } catch (error) { return String(error); }
          return "none";
        }""",
        [spec, num_numbers],
    )


def floats(spec, change):
    numbers = np.frombuffer(base64.b64decode(spec["fractions"]), "<f4").copy()
    change(numbers)
    return base64.b64encode(numbers.tobytes()).decode()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda s: s.update(integers=s["integers"][:-8]),
            "integers holds 22893 numbers instead of 22896",
        ),
        (lambda s: s.update(integers="no base64!"), "integers is not base64"),
        (lambda s: s.update(fractions=s["fractions"][:-3]), "fractions"),
        (lambda s: s.pop("fractions"), "fractions is not base64"),
        (lambda s: s.update(fractions=floats(s, lambda x: x.put(3, np.nan))), "finite number"),
        (lambda s: s.update(fractions=floats(s, lambda x: x.put(3, np.inf))), "finite number"),
        (lambda s: s.update(channels=12), "multiple of 8, not 12"),
        (lambda s: s.update(blocks=2), "integers holds"),
        (lambda s: s.update(blocks=10**9), "blocks is 1000000000"),
        (lambda s: s.update(rows=3.5), "rows is 3.5"),
        (lambda s: s.update(cols="3"), "cols is 3"),
        (lambda s: s.pop("value_hidden"), "value_hidden is undefined"),
        (lambda s: s.update(value_norm=True), "fractions holds"),
    ],
)
def test_a_damaged_spec_is_one_sentence(page, spec, change, says):
    damaged = copy.copy(spec)
    change(damaged)
    found = error(page, damaged, 18)
    assert found.startswith("Error: The network in this page is damaged; write the page again: ")
    assert says in found


def test_planes_of_another_game_are_refused(page, spec):
    assert error(page, spec, 84) == "Error: planes must be 18 numbers, not 84."


def test_what_diverges_in_the_page_says_so(page, spec):
    """Finite weights may still overflow."""
    huge = spec | {"fractions": floats(spec, lambda x: x.fill(3e38))}
    assert error(page, huge, 18).startswith("Error: The network returned NaN")


def test_a_spec_says_nothing_that_json_cannot(spec):
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec


def test_every_form_of_a_network_gives_the_same_spec():
    loaded = load_network("tictactoe")
    evaluator = NetworkEvaluator(GAME, loaded.network, symmetry="mean")
    expected = network_spec(GAME, "tictactoe")
    for form in (loaded, loaded.network, evaluator):
        assert network_spec(GAME, form) == expected


def test_asking_for_a_spec_changes_no_network():
    evaluator = NetworkEvaluator(GAME, untrained(GAME, channels=8, blocks=1), dtype=torch.bfloat16)
    network_spec(GAME, evaluator)
    assert {x.dtype for x in evaluator.network.parameters()} == {torch.bfloat16}


def test_what_cannot_run_in_a_page_is_one_sentence():
    with pytest.raises(ValueError, match="Only azlearn's own networks can run in a page, not"):
        network_spec(GAME, random_rollout())
    with pytest.raises(ValueError, match="This network plays"):
        network_spec(ConnectFour(), "tictactoe")
    broken = untrained(GAME, channels=8, blocks=1)
    with torch.no_grad():
        broken.policy.weight[0, 0] = float("nan")
    with pytest.raises(ValueError, match="some are not finite"):
        network_spec(GAME, broken)
