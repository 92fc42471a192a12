"""Machines of a run, all of them here: torchrun's agents, each with a folder of its own.

Agents and their processes are forked from the server of ``children``, as cold ones would import
and compile for half a minute after each kill.
"""

import multiprocessing
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from azlearn.learning import read_log
from tests.learning.children import PATIENCE, living, start_server
from tests.learning.tiny_runs import AS_OPTIONS


class Machine:
    """One machine: an agent, its processes, and a folder ``name/`` in which ``run/`` lies.

    Args:
        port: of the store.
        num_ranks: processes of this machine.
        arguments: of ``azlearn train``, after the game.
    """

    def __init__(self, root: Path, name: str, port: int, num_ranks: int, *arguments) -> None:
        self.folder = root / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.out = self.folder / "run"
        self._said = root / f"{name}.txt"
        self._arguments = ["train", "--game", "tictactoe", "--out", "run", "--go-on"]
        self._arguments += [*map(str, arguments), "--set", *AS_OPTIONS]
        self._port, self._num_ranks = port, num_ranks
        self.start()

    def start(self) -> None:
        """As its owner does when the machine is back: the same command."""
        start_server()
        self._agent = multiprocessing.get_context("forkserver").Process(
            target=_agent,
            args=(self.folder, self._said, self._port, self._num_ranks, self._arguments),
        )
        self._agent.start()

    def kill(self, whole_machine: bool) -> None:
        """SIGKILL for the agent, and for its processes at the same time if the machine goes."""
        (os.killpg if whole_machine else os.kill)(self._agent.pid, signal.SIGKILL)
        self._agent.join()

    def interrupt(self) -> None:
        """Ctrl-C at its agent, which tells its processes."""
        os.kill(self._agent.pid, signal.SIGINT)

    def kill_a_rank(self) -> None:
        """SIGKILL for one of its processes; the agent lives on."""
        deadline = time.monotonic() + PATIENCE
        while not (ranks := [p for p in living(self._agent.pid) if p != self._agent.pid]):
            assert time.monotonic() < deadline, self.said()[-3000:]  # they are being started anew
            time.sleep(0.05)
        rank = ranks[-1]
        os.kill(rank, signal.SIGKILL)

    def exit_code(self) -> int | None:
        return self._agent.exitcode

    def said(self) -> str:
        return self._said.read_text() if self._said.exists() else ""

    def iteration(self) -> int:
        """The last one in its log."""
        rows = read_log(self.out)
        return rows[-1]["iteration"] if rows else 0

    def end(self) -> None:
        self._agent.kill()  # of itself: it may not lead its group yet
        self._agent.join()
        with suppress(ProcessLookupError):
            os.killpg(self._agent.pid, signal.SIGKILL)


def wait_until(condition, machines: list[Machine]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "\n\n".join(m.said()[-3000:] for m in machines)
        time.sleep(0.05)


def _agent(folder: Path, said: Path, port: int, num_ranks: int, arguments: list[str]) -> None:
    """In a process of its own: what the command torchrun does, but its processes are forked."""
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    os.setsid()
    os.chdir(folder)
    for number in (1, 2):
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        "GLOO_SOCKET_IFNAME": "lo",
    }
    config = LaunchConfig(
        min_nodes=1, max_nodes=2, nproc_per_node=num_ranks, run_id="test", max_restarts=1000,
        rdzv_backend="c10d", rdzv_endpoint=f"127.0.0.1:{port}", local_addr="127.0.0.1",
        # A machine counts as gone after 4 seconds; 2 are waited for more machines to come.
        rdzv_configs={
            "is_host": "0", "keep_alive_interval": 1, "keep_alive_max_attempt": 4,
            "last_call_timeout": 2,
        },
        start_method="fork",
    )  # fmt: skip
    elastic_launch(config, _azlearn)(arguments)


def _azlearn(arguments: list[str]) -> None:
    from azlearn.cli import main

    sys.exit(main(arguments))
