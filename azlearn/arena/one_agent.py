"""Runs one Python file as a player, in a process of its own (see ``agents.AgentPlayer``)."""

import base64
import importlib.util
import json
import operator
import pickle
import sys
from pathlib import Path

from azlearn.sandbox import enter


def main() -> None:
    """Answers one line of JSON per position, until its input ends."""
    asked, told = enter()

    def tell(**reply) -> None:
        print(json.dumps(reply), file=told)

    try:
        choose = load(json.loads(asked.readline()))
    except BaseException as problem:  # even SystemExit
        tell(problem=f"{type(problem).__name__}: {problem!s:.200}")
        return
    tell()
    import numpy as np

    for line in asked:
        position = json.loads(line)
        state = pickle.loads(base64.b64decode(position["state"]))
        try:
            action = operator.index(choose(state, np.random.default_rng(position["seed"])))
        except BaseException as problem:
            tell(problem=f"{type(problem).__name__}: {problem!s:.200}")
        else:
            tell(action=action)


def load(asked: dict):
    """The file's function ``choose(state, rng)``; the file may use the global name ``game``."""
    from azlearn.games.named import make_game

    path = Path(asked["path"])
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    module.game = make_game(asked["game"])
    spec.loader.exec_module(module)
    if not callable(getattr(module, "choose", None)):
        raise ValueError("the file defines no function choose(state, rng)")
    return module.choose


if __name__ == "__main__":
    main()
