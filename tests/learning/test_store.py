"""The meeting point of a run on many machines, as a command."""

import signal
import socket
import subprocess
import sys

import pytest

from azlearn.learning import store

COMMAND = [sys.executable, "-m", "azlearn.learning.store"]


def test_ctrl_c_ends_it_without_a_traceback():
    with subprocess.Popen([*COMMAND, "--port", "0"], stdout=-1, stderr=-1, text=True) as process:
        assert "can now connect to port" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 0


@pytest.mark.parametrize("port", [None, 99999999, -5])
def test_a_port_that_cannot_be_used_is_one_sentence(port, monkeypatch, capsys):
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen()
        port = port or other.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["store", f"--port={port}"])
        with pytest.raises(SystemExit):
            store.main()
    assert f"port {port} cannot be used" in capsys.readouterr().err
