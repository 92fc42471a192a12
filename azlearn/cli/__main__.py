"""Runs the commands as `python -m azlearn.cli`, for programs such as torchrun."""

import sys

from azlearn.cli import main

if __name__ == "__main__":
    sys.exit(main())
