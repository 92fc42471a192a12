"""The exercises of the course, one module a chapter."""

from azlearn.course.exercises.catalogue import CHAPTERS, EXERCISES

__all__ = ["CHAPTERS", "EXERCISES"]
