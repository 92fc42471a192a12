"""Runs chapter 10's training with other windows and searches, five seeds each; stores it as JSON.

``python -m tools.window_runs`` trains them again (about ten minutes on one core) and writes
``window_runs.json``. Another processor rounds differently and so gives different runs.
"""

import json
from pathlib import Path
from typing import Any

from azlearn.course import stored_runs
from azlearn.minimal import AlphaZero
from tools import seed_runs

FILE = Path(stored_runs.__file__).with_name("window_runs.json")
SEEDS = range(5)
ITERATIONS = 30  # as many as the reader's own run
CHANGES: dict[str, dict[str, int]] = {
    "window 100": {"window": 100},
    "window 500": {"window": 500},
    "window without limit": {"window": 1_000_000},  # more positions than a run has
    "5 simulations": {"simulations": 5},
    "50 simulations": {"simulations": 50},
}


def kind(name: str) -> type[AlphaZero]:
    """The training with the attributes that ``name`` changes."""
    return type("Changed", (AlphaZero,), dict(CHANGES[name]))


def main() -> None:
    """Trains all runs in turn, and writes the file."""
    seed_runs.ITERATIONS = ITERATIONS
    found: dict[str, list[list[dict[str, Any]]]] = {}
    for name in CHANGES:
        found[name] = []
        for seed in SEEDS:
            found[name].append(seed_runs.train(kind(name), seed))
            print(name, seed, found[name][-1][-1], flush=True)
    FILE.write_text(json.dumps(found, indent=0).replace("\n", "") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
