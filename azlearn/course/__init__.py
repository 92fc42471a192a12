"""The exercises of the course: check, hint, solution, progress."""

from azlearn.course.api import check, hint, progress, progress_text, solution
from azlearn.course.results import Result

__all__ = ["Result", "check", "hint", "progress", "progress_text", "solution"]
