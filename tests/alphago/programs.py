"""Programs that are stopped in their middle."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 240  # seconds, on a busy machine
# A shell starts what runs in its background deaf to Ctrl-C, and so would be what it starts.
HEARS_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def slow_move(settings, game, level, state, rng):
    """An expert that takes half a second a move, and says in a file that it has begun."""
    Path(os.environ["STARTED"]).touch()
    time.sleep(0.5)
    return game.legal_actions(state)[0]


def stop(script: Path, out: Path, how: signal.Signals, reached) -> str:
    """Starts ``python script out``, stops it once ``reached()``: its errors, no process left."""
    process = subprocess.Popen(
        [sys.executable, script, out],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: reached() or process.poll() is not None)
    os.killpg(process.pid, how) if how == signal.SIGINT else process.kill()
    errors = process.communicate(timeout=PATIENCE)[1]
    wait_until(lambda: not _living(process.pid))
    return errors


def _living(group: int) -> list[int]:
    """The processes of a group that are no zombies."""
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    return [int(pid) for pid, pgid, stat in rows if pgid == str(group) and stat[0] != "Z"]
