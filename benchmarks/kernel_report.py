"""Compiles the engine's kernels without a GPU, and prints what the assembler says of them.

Needs numba-cuda with NVRTC and libNVVM, and ptxas: ``pip install numba-cuda nvidia-cuda-nvcc
nvidia-cuda-nvrtc``. ``--cc 80`` and ``--cc 90`` are an A100 and an H100. Registers bound how many
warps a multiprocessor can hold; what spills goes through memory.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

from numba import cuda, float32, int64, typeof
from numba.cuda import dispatcher

from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import TrainSettings
from azlearn.search.engine.columns import Ring
from azlearn.search.engine.kernels import kernels

SETTINGS = {
    "puct": {},
    "forced": {"forced_k": 2.0},
    "gumbel": {"search": "gumbel"},
    "proofs": {"proves": True, "keep_tree": True},
}


def ptxas() -> str:
    """The assembler, of the wheel or of a toolkit."""
    found = [Path(folder) / "nvidia" for folder in sys.path if (Path(folder) / "nvidia").is_dir()]
    programs = [p for folder in found for p in folder.rglob("bin/ptxas")]
    return str(programs[0]) if programs else "ptxas"


def report(game: str, kind: str, cc: int) -> list[tuple[str, float, str]]:
    """``(kernel, seconds to compile, what ptxas says)`` for one game and plan."""
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
    }
    flags = settings.proves, settings.keep_tree, settings.owner_weight > 0
    found = []
    for name, kernel in kernels(play.game.rules, type(settings.plan()), *flags)._asdict().items():
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
        spilled = sum(map(int, numbers[1]))
        words = f"{numbers[0][1]} registers, {stack[-1]} bytes of stack, {spilled} bytes spilled"
        found.append((name, seconds, words))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", nargs="+", default=["connect4", "othello6", "go7", "go9"])
    parser.add_argument("--kinds", nargs="+", choices=SETTINGS, default=["puct"])
    parser.add_argument("--cc", nargs="+", type=int, default=[80, 90])
    arguments = parser.parse_args()
    for cc in arguments.cc:
        # There is no GPU to be asked.
        device = SimpleNamespace(compute_capability=divmod(cc, 10))
        dispatcher.get_current_device = lambda device=device: device
        for game in arguments.games:
            for kind in arguments.kinds:
                for name, seconds, words in report(game, kind, cc):
                    print(f"sm_{cc} {game} {kind} {name}: {seconds:.1f} s, {words}", flush=True)


if __name__ == "__main__":
    main()
