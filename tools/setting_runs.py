"""Tries three training settings on tic-tac-toe, each with five seeds; stores the runs as JSON.

``python -m tools.setting_runs`` trains them again (about 15 minutes on one core) and writes
``setting_runs.json``. Another processor rounds differently and so gives different runs.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from azlearn.arena import GateSettings, PUCTPlayer, find_losing_line, gate, play_match
from azlearn.course import stored_runs
from azlearn.learning import Budget, Hooks, NetworkEvaluator, Training, load_network, preset
from azlearn.minimal import AlphaZero
from tools.training_runs import GAME, kept

FILE = Path(stored_runs.__file__).with_name("setting_runs.json")
SEEDS, ITERATIONS = range(5), 16
CHANGES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "tree kept": {"reuse_tree": True},
    "resigning": {"resign_rate": 0.05},
    "gated": {"gate_games": 400, "gate_every": 2, "gate_simulations": 2},
    "gated at 55 %": {"gate_games": 400, "gate_every": 2, "gate_simulations": 25},
}
ROW = ("games", "moves", "evaluations", "resign_threshold", "resigned", "false_resignations")
MATCH_SIMULATIONS, MATCH_GAMES = 50, 400
PASSED = 0.55  # the score that passes AlphaGo Zero's gate (Silver et al. 2017, Methods)


def train(name: str, seed: int) -> dict[str, Any]:
    """Runs the preset with the settings that ``name`` changes.

    Returns:
        ``rows``, one per iteration, with the values in ``ROW`` and, in a gated run, the new
        player's ``score`` in the gate and whether it was ``accepted``; for the final player also
        ``alone``, ``searched`` and ``line`` as in ``seed_runs``.
    """
    settings = preset("tictactoe", "cpu").with_changes({"seed": seed, **CHANGES[name]})
    rows: list[dict[str, Any]] = []
    scores: list[float] = []

    def ask(new: NetworkEvaluator, old: NetworkEvaluator, settings: Any) -> bool:
        pair = [PUCTPlayer(GAME, evaluator, settings.gate_simulations) for evaluator in (new, old)]
        if name == "gated at 55 %":  # as AlphaGo Zero: all games, then the score decides
            scores.append(play_match(*pair, settings.gate_games).score)
            return scores[-1] > PASSED
        found = gate(*pair, GateSettings(max_games=settings.gate_games))
        scores.append(found.match.score)
        return found.accepted

    def report(row: dict[str, Any]) -> None:
        rows.append({name: round(row[name], 3) for name in ROW})
        if "accepted" in row:
            rows[-1] |= {"accepted": bool(row["accepted"]), "score": round(scores[-1], 3)}

    with TemporaryDirectory() as out:
        hooks = Hooks(report=report, gate=ask)
        run = Training(settings, Budget(iterations=ITERATIONS), Path(out), hooks=hooks)
        run.run()
    judged = AlphaZero(GAME)
    judged.network = run.best.eval()
    player = PUCTPlayer(GAME, NetworkEvaluator(GAME, run.best), 25, c=1.25)
    found = {"alone": np.mean(kept(judged, 0)), "searched": np.mean(kept(judged, 25))}
    found = {name: round(float(share), 3) for name, share in found.items()}
    return {"rows": rows, **found, "line": find_losing_line(player, GAME)}


class Counted(NetworkEvaluator):
    """A network that counts the positions it evaluates."""

    asked = 0

    def batch(self, states):
        self.asked += len(states[0])
        return super().batch(states)


def tree_match() -> dict[str, Any]:
    """A match of the shipped Connect Four network with tree reuse against itself without it."""
    loaded = load_network("connect4")
    kept, anew = (Counted(loaded.game, loaded.network) for _ in range(2))
    players = [
        PUCTPlayer(loaded.game, kept, MATCH_SIMULATIONS, reuse_tree=True),
        PUCTPlayer(loaded.game, anew, MATCH_SIMULATIONS),
    ]
    table = play_match(*players, MATCH_GAMES, 0).table()
    found = {"score": table["score"], "score_interval": list(table["score_interval"])}
    return found | {"games": MATCH_GAMES, "asked": [kept.asked, anew.asked]}


def main() -> None:
    """Plays the match, trains all runs in turn, and writes the file."""
    found: dict[str, Any] = {"match": tree_match()}
    print(found, flush=True)
    for name in CHANGES:
        found[name] = []
        for seed in SEEDS:
            found[name].append(train(name, seed))
            end = {key: value for key, value in found[name][-1].items() if key != "rows"}
            print(name, seed, end, flush=True)
    FILE.write_text(json.dumps(found, indent=0).replace("\n", "") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
