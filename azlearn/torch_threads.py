"""Sets the number of PyTorch's threads to one in every process that imports azlearn.

Networks for small boards are so fast that a second thread saves little. When other programs are
running, two threads wait for each other, and a network call takes 30 to 80 ms instead of 2. To use
another number, set ``OMP_NUM_THREADS`` or ``MKL_NUM_THREADS``, or call ``torch.set_num_threads``
after importing azlearn. Training divides the cores among its processes (``learning.launch``).
"""

import os
import sys
from importlib.abc import MetaPathFinder


class _TorchWithOneThread(MetaPathFinder):
    """Finds torch like the other finders, and sets its threads as soon as it is loaded.

    Loading torch takes seconds, so azlearn loads it late, and a notebook cell may load it earlier.
    """

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (other.find_spec(name, path, target) for other in others)), None)
        if spec:
            load = spec.loader.exec_module

            def load_with_one_thread(torch) -> None:
                load(torch)
                torch.set_num_threads(1)
                sys.meta_path.remove(self)

            spec.loader.exec_module = load_with_one_thread
        return spec


if not {"OMP_NUM_THREADS", "MKL_NUM_THREADS"} & os.environ.keys():
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    else:
        sys.meta_path.insert(0, _TorchWithOneThread())
