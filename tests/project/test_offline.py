"""Nobody on the network is asked for anything: every socket's use is seen, and refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_WATCHED = """
import sys

NETWORK = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
           "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "urllib.Request"}

def watch(event, arguments):
    if event in NETWORK:
        raise AssertionError(f"{event} {arguments}")

sys.addaudithook(watch)
"""
_USES = {
    "doctor": "from azlearn.cli import main; assert main(['doctor']) == 0",
    "explorer": """
from azlearn.games import ConnectFour
from azlearn.viz import explore
game = ConnectFour()
explore(game, game.initial_state(), num_simulations=20).to_html("page.html")
""",
    "training": """
from azlearn.cli import main
from tests.learning.tiny_runs import AS_OPTIONS
new = ["train", "--game", "tictactoe", "--ranks", "1", "--iterations", "1", "--out", "run"]
assert main([*new, "--set", *AS_OPTIONS]) == 0
assert main(["match", "run@2", "random", "--games", "2"]) == 0
""",
    "a connection, which is seen": """
import socket
try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except AssertionError:
    pass
else:
    raise AssertionError("The hook does not see it.")
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("use", _USES)
def test_without_a_network_all_works(use, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED + _USES[use]],
        capture_output=True, text=True, cwd=tmp_path, timeout=500,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
