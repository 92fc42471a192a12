"""Compiles the engine's kernels without a GPU, and prints the assembler's statistics.

Run it with ``make kernels``, which puts NVIDIA's compilers into build/cuda. sm_80 is an A100, sm_90
an H100. The number of registers limits how many warps a multiprocessor can run; registers that
spill go through memory. The script fails if a kernel does not compile, or spills.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

from numba import bool_, cuda, float32, float64, int64, typeof
from numba.cuda import dispatcher

from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import TrainSettings
from azlearn.search.engine.columns import Ring
from azlearn.search.engine.kernels import kernels

SETTINGS = {
    "puct": {},
    "forced": {"forced_playout_k": 2.0},
    "gumbel": {"search": "gumbel"},
    "proofs": {"use_solver": True, "reuse_tree": True},
}


def ptxas() -> str:
    """The path of the assembler, from NVIDIA's wheel or from an installed toolkit."""
    found = [Path(folder) / "nvidia" for folder in sys.path if (Path(folder) / "nvidia").is_dir()]
    programs = [p for folder in found for p in folder.rglob("bin/ptxas")]
    return str(programs[0]) if programs else "ptxas"


def report(game: str, kind: str, cc: int) -> list[tuple[str, float, tuple | str]]:
    """Compiles all kernels for one game and tree policy.

    Returns:
        ``(kernel, seconds, found)`` for each kernel; ``found`` is (registers, bytes of stack, bytes
        spilled), or a text that says why the kernel does not compile.
    """
    settings = TrainSettings(
        game=game, num_games=2, simulations=2, first_simulations=2, opening_plies=2,
        temperature_plies=2, window=10, first_window=1, fast_simulations=1, **SETTINGS[kind],
    )  # fmt: skip
    play = SelfPlay(settings, compiled=False)
    ring = Ring(*(column.numpy() for column in play.replay.stored()))
    dials, seed = play._dials(2), play._seed
    trees, cache, games = typeof(play.trees), typeof(play._cache), typeof(play.games)
    dials, seed, ring = typeof(dials), typeof(seed), typeof(ring)
    rows, row, answers = int64[::1], int64, (float32[:, ::1], float32[::1])
    signatures = {
        "advance": (trees, cache, games, typeof(play._numbers), dials, seed, row),
        "collect": (trees, games, ring, dials, seed, rows, rows, rows, row),
        "answer": (trees, cache, *answers, dials),
        "keep": (trees, cache, *answers),
        "begin": (trees, games, dials, seed),
        "open_games": (trees, games, dials, seed, row, row, row),
        "write_legal": (int64[:, ::1], bool_[:, ::1]),
    }
    flags = settings.use_solver, settings.reuse_tree, settings.ownership_weight > 0
    found = []
    for name, kernel in (
        kernels(play.game.rules, type(settings.tree_policy()), *flags)._asdict().items()
    ):
        started = perf_counter()
        code, _ = cuda.compile_ptx(kernel.py_func, signatures[name], cc=divmod(cc, 10))
        seconds = perf_counter() - started
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "kernel.ptx"
            source.write_text(code)
            command = [ptxas(), f"-arch=sm_{cc}", "-v", source, "-o", source.with_suffix(".cubin")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        said = done.stderr.replace("\n", " ")
        numbers = re.search(r"Used (\d+) registers", said), re.findall(r"(\d+) bytes spill", said)
        stack = re.findall(r"(\d+) bytes stack", said)
        if done.returncode or not numbers[0]:
            found.append((name, seconds, said[:300]))
            continue
        found.append((name, seconds, (numbers[0][1], stack[-1], sum(map(int, numbers[1])))))
    return found


def contraction() -> str:
    """How the compiler rounds ``a * b + c``; call it after the back end has been set up."""

    def add(out, a, b, c):
        out[0] = a[0] * b[0] + c[0]

    code, _ = cuda.compile_ptx(add, (float64[::1],) * 4, cc=(9, 0))
    return "fused" if "fma.rn.f64" in code else "rounded twice, as on a CPU"


EVERYTHING = [
    (90, game, "puct")
    for game in ("connect4", "tictactoe", "othello6", "hex:5", "dots_and_boxes:2x2", "go5", "go7")
]
EVERYTHING += [(90, "go9", kind) for kind in SETTINGS]
EVERYTHING += [(90, "connect4", kind) for kind in SETTINGS if kind != "puct"]
EVERYTHING += [(80, "connect4", "puct"), (80, "go9", "puct")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--game", help="only this game; if not given, all games with some tree policies"
    )
    parser.add_argument("--kind", choices=SETTINGS, default="puct")
    parser.add_argument("--cc", type=int, default=90)
    options = parser.parse_args()
    wanted = [(options.cc, options.game, options.kind)] if options.game else EVERYTHING
    print("| GPU | game | search | kernel | compiled, s | registers | stack, bytes | spilled |")
    print("|---|---|---|---|---:|---:|---:|---:|")
    bad = []
    for cc, game, kind in wanted:
        # There is no GPU to ask for its compute capability.
        device = SimpleNamespace(compute_capability=divmod(cc, 10))
        dispatcher.get_current_device = lambda device=device: device
        for name, seconds, found in report(game, kind, cc):
            cells = f"sm_{cc} | {game} | {kind} | {name} | {seconds:.1f}"
            if isinstance(found, str) or found[2]:
                bad.append(f"{cells}: {found}")
            found = [found] if isinstance(found, str) else found
            print(f"| {cells} | {' | '.join(map(str, found))} |", flush=True)
    print(f"\na * b + c is {contraction()}.")
    if bad or contraction() == "fused":
        sys.exit("\n".join(["These kernels do not compile, or they spill or fuse:", *bad]))


if __name__ == "__main__":
    main()
