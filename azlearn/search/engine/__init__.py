"""One engine for all processors: search and self-play for one game of many, written once.

It runs in Python, compiled for a CPU, or as GPU kernels with one thread per game.
"""
