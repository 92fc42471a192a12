"""The kernels do what the loops do: in numba's CUDA simulator, in a process of its own.

It is slow, so the games are few and short. Without the simulator the very same kernels are compiled
by ``benchmarks/kernel_report.py``.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.own_game import SOURCE

ROOT = Path(__file__).parents[2]
CASES = {
    "puct": ("connect4", {"value_target_mix": 0.5}),
    "gumbel, caps": ("tictactoe", {"search": "gumbel", "full_search_prob": 0.5}),
    "forced, surprise, resigning": (
        "tictactoe",
        {"forced_playout_k": 2.0, "surprise_fraction": 0.5, "resign_rate": 0.05,
         "symmetry": "random"},
    ),
    "proofs, kept trees": ("tictactoe", {"use_solver": True, "reuse_tree": True}),
    "owners": ("go:3", {"ownership_weight": 1.0}),
    "passes": ("othello:4", {"forced_playout_k": 2.0}),
    "two moves in a row": ("dots_and_boxes:2x2", {"search": "gumbel", "use_solver": True}),
    "a reader's own game": ("race.py:Race", {"reuse_tree": True}),
}  # fmt: skip


QUICK = ("puct", "forced, surprise, resigning")


@pytest.mark.parametrize(
    "case",
    [case if case in QUICK else pytest.param(case, marks=pytest.mark.slow) for case in CASES],
)
def test_trees_games_cache_and_samples_are_those_of_the_loops(case, tmp_path, monkeypatch):
    (tmp_path / "race.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert num_samples("steps", *CASES[case]) > 10


@pytest.mark.slow
@pytest.mark.parametrize("case", ["puct", "owners"])
def test_self_play_by_kernels_gives_the_samples_of_the_loops(case):
    """And goes on where a checkpoint of the other has ended."""
    assert num_samples("driven", *CASES[case]) > 10


def num_samples(check: str, game: str, changes: dict) -> int:
    """Of both, which have been the same."""
    command = [sys.executable, "-m", "tests.engine.simulated", check, game, json.dumps(changes)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False,
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *differing, samples = json.loads(done.stdout)
    assert not differing
    return int(samples.split()[0])
