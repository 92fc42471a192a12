"""Go on small boards."""

from azlearn.games.go.go import Go

__all__ = ["Go"]
