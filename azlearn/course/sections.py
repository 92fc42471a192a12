"""Where each exercise's subject is explained: a verdict ends with the way there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from azlearn.course.comparing import Wrong

# Exercise: the section of the chapter's notebook, by its heading.
SECTIONS = {
    "1.1": "2 · Dropping a stone is adding one",
    "1.2": "3 · Four in a row in two shifts",
    "1.3": "5 · Good for whom?",
    "1.4": "7 · Minimax: the truth",
    "2.1": "1 · One random game, and whose result it is",
    "2.2": "2 · Flat Monte Carlo",
    "2.3": "3 · The bandit",
    "3.1": "1 · Four phases, by hand",
    "3.2": "1 · Four phases, by hand",
    "3.3": "1 · Four phases, by hand",
    "3.4": "2 · Write it",
    "3.5": "2 · Write it",
    "3.6": "4 · Points instead of values",
    "4.1": "1 · What c does",
    "4.2": "9 · Bug clinic I",
    "4.3": "9 · Bug clinic I",
    "4.4": "4 · Whose Q?",
    "4.5": "5 · What survives a move",
    "4.6": "3 · Most visits or best mean?",
    "5.1": "3 · To imitate",
    "5.2": "4 · Hold out games",
    "5.3": "5 · Train",
    "5.4": "7 · Patterns",
    "5.5": "4 · Hold out games",
    "6.1": "2 · One game, one step",
    "6.2": "2 · One game, one step",
    "6.3": "4 · How noisy is it?",
    "6.4": "3 · The loop",
    "6.5": "3 · The loop",
    "6.6": "6 · Who is winning?",
    "7.1": "1 · The prior says who is tried",
    "7.2": "2 · Two judges, one leaf",
    "7.3": "3 · When a node is expanded",
    "7.4": "5 · Eight threads",
    "7.5": "4 · The whole search",
    "8.1": "1 · What it sees",
    "8.2": "2 · One tower, two heads",
    "8.3": "3 · The loss, taken apart",
    "8.4": "3 · The loss, taken apart",
    "8.5": "5 · Symmetries",
    "8.6": "7 · Train mode, eval mode",
    "9.1": "1 · A network at the leaf",
    "9.2": "2 · The prior decides who is tried",
    "9.3": "6 · A move without visits",
    "9.4": "7 · Noise at the root",
    "9.5": "8 · From visits to a policy",
    "9.6": "3 · The loop",
    "10.1": "1 · A game against yourself",
    "10.2": "1 · A game against yourself",
    "10.3": "2 · Whose z?",
    "10.4": "3 · The window",
    "10.5": "4 · The loop",
    "10.6": "5 · From nothing to perfect",
    "11.1": "1 · 400 identical games",
    "11.2": "2 · Openings in pairs",
    "11.3": "3 · Too few games",
    "11.4": "4 · Elo, and what it is not",
    "11.5": "5 · A gate and its price",
    "11.6": "7 · The solver as a ruler",
    "12.1": "1 · Ask about many at once",
    "12.2": "2 · Many games in step",
    "12.3": "3 · A node is a row",
    "12.4": "3 · A node is a row",
    "12.5": "6 · A descent is look-ups",
    "12.6": "7 · Several leaves of one tree",
}


def read_on(exercise_id: str) -> str:
    """One sentence: chapter, section, heading."""
    number, heading = SECTIONS[exercise_id].split(" · ")
    return f"To read on: chapter {exercise_id.split('.')[0]}, section {number}, “{heading}”."


def explained_for(exercise_id: str) -> Callable[[Callable], Callable]:
    """Decorates a check: what is wrong is followed by where it is explained."""

    def decorate(check: Callable) -> Callable:
        @wraps(check)
        def checked(call):
            try:
                return check(call)
            except Wrong as fault:
                fault.message = f"{fault.message.rstrip()} {read_on(exercise_id)}"
                raise

        return checked

    return decorate
