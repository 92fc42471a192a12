"""Records as somebody would write them who means harm, or whose disk did."""

import copy
import random

from azlearn.games import ConnectFour, DotsAndBoxes, Hex, TicTacToe
from azlearn.search import (
    MCTS,
    ProvingMCTS,
    Recorder,
    Recording,
    RootNoise,
    puct,
    random_rollout,
    record_search,
    uct,
)

# Each sets a flag where it runs.
SCRIPTS = [
    "<img src=x onerror=window.ran=1>",
    "<script>window.ran=1</script>",
    "</script><script>window.ran=1</script>",
    "</title></svg><img src=x onerror=window.ran=1>",
    '"><img src=x onerror=window.ran=1>',
    '" onfocus=window.ran=1 autofocus tabindex=0 x="',
    "javascript:window.ran=1",
    "<a href=javascript:window.ran=1 id=link>go</a>",
    "<style>*{display:none}</style>",
    '"/><animate onbegin=window.ran=1 attributeName=x dur=1s>',
    "\u20630\u2063",
    "\ud800",
    "**<b onclick=window.ran=1>●■✕**",
]
WRONG = [
    None, True, -1, 2, 1.5, 1e300, 2**53, "", "0", "parent", [], [0], [[0]], {}, {"a": 1},
    {"__proto__": {"polluted": 1}}, {"toString": "x"}, {"length": 3},
]  # fmt: skip


def loyal(node):
    return [float(n) for n in node.visit_counts]


def records():
    """Sound records of every kind, by name."""
    four, three, hexes, dots = ConnectFour(), TicTacToe(), Hex(3), DotsAndBoxes(2, 2)
    rollout = random_rollout()
    tree = MCTS(three, puct(), rollout).run(three.initial_state(), 30, 0)
    recorder = Recorder()
    ProvingMCTS(three, uct(1.0), rollout, recorder=recorder).run(three.from_moves("152"), 40, 0)
    noise = {"root_noise": RootNoise(0.5, 0.25)}
    return {
        "uct": record_search(four, four.from_moves("4455"), uct(1.0), rollout, 24, 0).to_dict(),
        "puct": record_search(
            four, four.initial_state(), puct(1.2), rollout, 24, 0, **noise
        ).to_dict(),
        "all": record_search(
            three, three.initial_state(), uct(1.0), rollout, 5, 0, expand="all"
        ).to_dict(),
        "custom": record_search(three, three.initial_state(), loyal, rollout, 12, 0).to_dict(),
        "hex": record_search(hexes, hexes.initial_state(), uct(1.0), rollout, 12, 0).to_dict(),
        "dots": record_search(dots, dots.initial_state(), uct(1.0), rollout, 12, 0).to_dict(),
        "proofs": recorder.recording().to_dict(),
        "tree": Recording.of_tree(tree, max_nodes=20).to_dict(),
    }


def places(part, path=()):
    """The paths to everything in a record; of a list its first and its last entry."""
    yield path
    if isinstance(part, dict):
        for name in part:
            yield from places(part[name], (*path, name))
    elif isinstance(part, list | tuple) and part:
        for k in {0, len(part) - 1}:
            yield from places(part[k], (*path, k))


def put(record, path, value):
    """A copy of a record with another value at a place."""
    if not path:
        return value
    inner = whole = copy.deepcopy(record)
    for step, following in zip(path, (*path[1:], None), strict=True):
        if following is None:
            if isinstance(inner, tuple):
                raise TypeError(path)
            inner[step] = value
        else:
            if isinstance(inner[step], tuple):
                inner[step] = list(inner[step])
            inner = inner[step]
    return whole


def hostile(seed=0, share=0.03):
    """(what was done, record): one place of a sound record is another; a share of all there are."""
    rng = random.Random(seed)
    for name, record in records().items():
        for path in places(record):
            for value in [*SCRIPTS, *WRONG]:
                if path and rng.random() < share:
                    yield f"{name} {'.'.join(map(str, path))} = {value!r}", put(record, path, value)
        for text in SCRIPTS:  # and everything that is written on the page at once
            bad = copy.deepcopy(record)
            bad["game"]["labels"] = [text] * bad["game"]["num_actions"]
            bad["game"]["name"] = text
            bad["game"]["drawing"]["players"] = bad["game"]["drawing"]["marks"] = [text, text]
            bad["info"] = {"num_simulations": 99, "evaluator": text, "stopped": True}
            bad["rule"]["fpu"] = text[:6]
            bad["__proto__"] = bad["nodes"]["__proto__"] = {"polluted": 1}
            yield f"{name} written {text!r}", bad
