"""One engine for every processor: the loops of a search and of self-play for one game of many,
in Python, compiled for a CPU, or as GPU kernels with a thread for every game."""
