"""`python -m azlearn.learning.store`: a meeting point that lets a run survive a lost machine.

torchrun keeps the list of machines in a TCPStore, by default inside the agent of one machine, so
the run dies with that machine. With ``--rdzv-conf is_host=0`` all agents are clients, and this
process is the server. Start it on a machine that stays up (a login node, a small pod); it stores a
few kilobytes.
"""

import argparse
import threading
from contextlib import suppress

from torch.distributed import TCPStore


def serve(port: int) -> TCPStore:
    """Returns a store, open on all addresses of this machine until freed; port 0: any free port."""
    return TCPStore("localhost", port, is_master=True, wait_for_workers=False)


def main() -> None:
    """Serves until Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m azlearn.learning.store", description=__doc__)
    parser.add_argument("--port", type=int, default=29400)
    port = parser.parse_args().port
    try:
        store = serve(port)
    except (RuntimeError, TypeError):  # another program uses it, or it is no port number
        parser.error(f"port {port} cannot be used. Choose another with --port.")
    with suppress(KeyboardInterrupt):
        print(f"The machines of a run can now connect to port {store.port}.", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
