"""One thread of torch in every process, however azlearn comes to compute with it."""

import os
import subprocess
import sys

import pytest

BEGIN = "import numpy as np; from azlearn.games import TicTacToe; game = TicTacToe()\n"
TELL = "\nimport torch; print('threads', torch.get_num_threads())"
OWN_NETWORK = """
from azlearn.search import MCTS, puct
from torch import nn, ones
network = nn.Linear(9, 1)
def evaluate(game, state, rng):
    return None, float(network(ones(9)).tanh())
MCTS(game, puct(), evaluate).run(game.initial_state(), 3, 0)
"""
KINDS = {
    "torch was there first": f"import torch; torch.ones(9) + 1\n{BEGIN}" + """
from azlearn.learning import resolve_evaluator
resolve_evaluator("tictactoe", game)(game, game.initial_state(), np.random.default_rng(0))
""",
    "a search is given a network's name": f"{BEGIN}" + """
from azlearn.search import MCTS, puct
MCTS(game, puct(), "tictactoe").run(game.initial_state(), 3, 0)
""",
    "the explorer, in a thread of its own": f"{BEGIN}" + """
from threading import Thread
from azlearn.viz import explore
def ask():
    explore(game, evaluate="tictactoe", num_simulations=3)
    import torch
    print('threads', torch.get_num_threads())
thread = Thread(target=ask)
thread.start()
thread.join()
""",
    "a reader's own network, and somebody looked for torch before": f"""{BEGIN}
from importlib.util import find_spec
assert find_spec("torch") and find_spec("torch"){OWN_NETWORK}
import sys
assert not [finder for finder in sys.meta_path if "azlearn.torch" in repr(finder)]
""",
}  # fmt: skip


def told(code: str, **environment: str) -> list[str]:
    """The numbers of threads that a process of its own prints, in an environment without any."""
    known = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    found = subprocess.run(
        [sys.executable, "-c", code], env=known | environment, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    return [line.split()[1] for line in found.stdout.splitlines() if line.startswith("threads")]


@pytest.mark.parametrize("kind", KINDS)
def test_small_networks_compute_on_one_thread(kind):
    assert set(told(KINDS[kind] + TELL)) == {"1"}


def test_the_environment_decides_otherwise():
    before, after = told(TELL[1:] + "\n" + BEGIN + TELL, OMP_NUM_THREADS="2")
    assert before == after  # 1 only where there is only one core


def test_a_later_number_counts_whatever_azlearn_loads_after_it():
    code = "import azlearn.viz, torch; torch.set_num_threads(3)\n"
    assert told(code + KINDS["a search is given a network's name"] + TELL) == ["3"]
