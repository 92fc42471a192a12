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
    ch08_asking,
    ch08_block,
    ch08_loss,
    ch08_planes,
    ch08_policy_loss,
    ch08_symmetry,
    ch09_backup,
    ch09_noise,
    ch09_points,
    ch09_scores,
    ch09_search,
    ch09_temperature,
)

CHAPTERS = {
    1: "01 games",
    2: "02 bandits and rollouts",
    3: "03 uct",
    4: "04 reading a tree",
    8: "08 one network",
    9: "09 puct",
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
    ch08_planes,
    ch08_block,
    ch08_policy_loss,
    ch08_loss,
    ch08_symmetry,
    ch08_asking,
    ch09_backup,
    ch09_scores,
    ch09_points,
    ch09_noise,
    ch09_temperature,
    ch09_search,
)
_ALL = [exercise for module in _MODULES for exercise in module.EXERCISES]

EXERCISES: dict[str, Exercise] = {e.id: e for e in sorted(_ALL, key=lambda e: e.number)}
