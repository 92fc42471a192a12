"""Every exercise by id, in the order of the course."""

from azlearn.course.checking import Exercise
from azlearn.course.exercises import (
    ch01_boards,
    ch01_values,
    ch02_flat_monte_carlo,
    ch02_rollout,
    ch02_ucb1,
    ch03_convention,
    ch03_final_move,
    ch03_search,
    ch03_select,
    ch03_tree,
    ch04_decided,
    ch04_path,
    ch04_repairs,
    ch04_reuse,
    ch04_variation,
)

CHAPTERS = {
    1: "01 games",
    2: "02 bandits and rollouts",
    3: "03 uct",
    4: "04 reading a tree",
}

_MODULES = (
    ch01_boards,
    ch01_values,
    ch02_flat_monte_carlo,
    ch02_rollout,
    ch02_ucb1,
    ch03_select,
    ch03_tree,
    ch03_final_move,
    ch03_search,
    ch03_convention,
    ch04_path,
    ch04_repairs,
    ch04_variation,
    ch04_reuse,
    ch04_decided,
)
_ALL = [exercise for module in _MODULES for exercise in module.EXERCISES]

EXERCISES: dict[str, Exercise] = {e.id: e for e in sorted(_ALL, key=lambda e: e.number)}
