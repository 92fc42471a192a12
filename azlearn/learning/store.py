"""`python -m azlearn.learning.store`: where the machines of a run meet, whichever of them die.

Torchrun keeps who is there in a TCPStore, by default within the agent of one machine; the run dies
with that machine. With ``--rdzv-conf is_host=0`` all agents are its clients, and this process, on
any machine that stays (a login node, a small pod), is the server. It holds a few kilobytes.
"""

import argparse
import threading

from torch.distributed import TCPStore


def serve(port: int) -> TCPStore:
    """A store on every address of this machine, as long as the object lives; port 0: a free one."""
    return TCPStore("localhost", port, is_master=True, wait_for_workers=False)


def main() -> None:
    """Serves until Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m azlearn.learning.store", description=__doc__)
    parser.add_argument("--port", type=int, default=29400)
    store = serve(parser.parse_args().port)
    print(f"Machines of a run may meet at port {store.port}.", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
