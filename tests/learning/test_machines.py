"""Two machines that share no folder, killed in turn: the run goes on and has all its iterations.

``AZLEARN_KILLS=10`` kills more often.
"""

import json
import os
import time

import numpy as np
import pytest

from azlearn.learning import DamagedFile, Training, load_network, read_log
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.store import serve
from tests.learning.machines import Machine, wait_until

KILLS = int(os.environ.get("AZLEARN_KILLS", "3"))
BETWEEN = 8  # iterations from one kill to the next, at least


@pytest.mark.slow
def test_two_machines_killed_in_turn_lose_nothing_but_the_last_moments(tmp_path):
    store, began = serve(0), time.monotonic()
    iterations = BETWEEN * (KILLS + 2)
    arguments = ["--iterations", iterations, "--checkpoint-minutes", 0.01]
    machines = [Machine(tmp_path, name, store.port, 2, *arguments) for name in ("a", "b")]
    history = []

    def go_on(some: list[Machine]) -> None:
        """Until one of them has logged some more iterations."""
        goal = max(machine.iteration() for machine in some) + BETWEEN // 2
        wait_until(lambda: max(machine.iteration() for machine in some) >= goal, machines)

    try:
        for number in range(KILLS):
            go_on(machines)
            victim, other = machines[:: -1 if number // 3 % 2 else 1]
            how = ("its power fails", "its agent dies", "a process dies")[number % 3]
            if how == "a process dies":
                victim.kill_a_rank()
            else:
                victim.kill(whole_machine=how == "its power fails")
            held = [counted_iteration(machine.out) for machine in machines]
            history.append((round(time.monotonic() - began), f"{victim.folder.name}: {how}", held))
            if how == "its power fails":
                go_on([other])  # alone, until the other machine is back
            if how != "a process dies":
                victim.start()
        wait_until(lambda: all(m.exit_code() is not None for m in machines), machines)
    finally:
        for machine in machines:
            machine.end()
    history.append((round(time.monotonic() - began), "end", [iterations] * 2))
    print(*history, sep="\n")
    assert [machine.exit_code() for machine in machines] == [0, 0]
    newest = [max(held) for *_, held in history]
    assert newest == sorted(newest)

    for machine in machines:
        rows, counters = read_log(machine.out), read_summary(machine.out)["counters"]
        assert [row["iteration"] for row in rows] == list(range(1, iterations + 1))
        assert {name: rows[-1][name] for name in counters} == counters
        for name in ("games", "moves", "evaluations", "samples", "steps", "minutes"):
            figures = [row[name] for row in rows]
            assert figures == sorted(figures), name
        # 40 moves a rank and iteration, and up to 3 more: one machine makes 80, two 160.
        made = np.diff([0, *(row["moves"] for row in rows)])
        assert set(made // 80) == {1, 2}
        assert load_network(machine.out).info["counters"] == counters
        assert Training.resumed(machine.out).counters.iteration == iterations
    summaries = [json.loads((machine.out / "checkpoint.json").read_text()) for machine in machines]
    assert summaries[0] == summaries[1]


def counted_iteration(out) -> int:
    """Of the checkpoint that a machine's folder holds, which must be whole; -1: none yet."""
    for attempt in range(10):
        try:
            return read_summary(out)["counters"]["iteration"]
        except FileNotFoundError:
            return -1
        except DamagedFile:  # replaced while it was read, by a machine that still trains
            if attempt == 9:
                raise


@pytest.mark.slow
def test_ctrl_c_at_one_machine_ends_the_run_on_both_with_a_checkpoint(tmp_path):
    store = serve(0)
    arguments = ["--iterations", 100_000, "--checkpoint-minutes", 1000]
    machines = [Machine(tmp_path, name, store.port, 1, *arguments) for name in ("a", "b")]

    def together(said: str) -> bool:
        """Whether an iteration has ended since both are in the run; one may begin alone."""
        _, begun, since = said.rpartition("2 processes")
        return bool(begun) and "\nminute" in since

    try:
        wait_until(lambda: any(together(machine.said()) for machine in machines), machines)
        machines[1].interrupt()
        # The other agent waits some minutes more for this one, as torchrun does; its run is over.
        wait_until(lambda: machines[1].exit_code() is not None, machines)
        wait_until(lambda: any("Stopped after" in m.said() for m in machines), machines)
    finally:
        for machine in machines:
            machine.end()
    last = max(machine.iteration() for machine in machines)
    assert [counted_iteration(machine.out) for machine in machines] == [last, last]
