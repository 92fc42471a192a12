"""The command `azlearn`."""

from azlearn.cli.main import main

__all__ = ["main"]
