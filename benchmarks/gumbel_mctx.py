"""Compares Gumbel AlphaZero with DeepMind's mctx: equal noise and evaluations, equal trees.

    python benchmarks/gumbel_mctx.py                 compares, if mctx is installed
    python benchmarks/gumbel_mctx.py --write FILE    also stores mctx's results, for the tests

mctx needs JAX; ``pip install -e '.[peers]'`` installs both. From this package mctx uses only the
rules of the games, whose arithmetic runs on JAX arrays without changes. The noise is mctx's own.
"""

import argparse
import json
from functools import partial

import jax
import jax.numpy as jnp
import mctx
import numpy as np
from gumbel_cases import CASES, GAMES, Answer, Case, compare, logits_and_value

jax.config.update("jax_enable_x64", True)


def legal_mask(game, state):
    options = game.rules.options(state)
    legal = [game.rules.is_legal(options, action) for action in range(game.num_actions)]
    return jnp.stack([jnp.asarray(one, bool) for one in legal], axis=-1)


def step(game, _, key, action, states):
    """mctx's recurrent function: the positions after these actions, and their evaluations."""
    mover = game.rules.to_play(states)
    states = game.rules.play(states, action)
    is_over, outcome = game.rules.outcome(states)
    sign = jnp.where(game.rules.to_play(states) == mover, 1.0, -1.0)
    logits, value = logits_and_value(states, game.num_actions, jnp)
    output = mctx.RecurrentFnOutput(
        reward=jnp.where(is_over, sign * outcome, 0.0),
        discount=jnp.where(is_over, 0.0, sign),
        prior_logits=jnp.where(legal_mask(game, states), logits, jnp.finfo(float).min),
        value=jnp.where(is_over, 0.0, value),
    )
    return output, states


def ask(case: Case) -> Answer:
    """Runs mctx on a case."""
    game = GAMES[case.game]
    state = game.initial_state()
    for move in case.moves:
        state = game.next_state(state, move)
    root = game.State(*(jnp.asarray([word], jnp.int64) for word in state))
    logits, value = logits_and_value(root, game.num_actions, jnp)
    found = mctx.gumbel_muzero_policy(
        (),
        jax.random.PRNGKey(case.num_simulations),
        mctx.RootFnOutput(prior_logits=logits, value=value, embedding=root),
        partial(step, game),
        case.num_simulations,
        invalid_actions=~legal_mask(game, root),
        max_num_considered_actions=case.num_considered,
        qtransform=partial(
            mctx.qtransform_completed_by_mix_value,
            value_scale=case.c_scale,
            rescale_values=case.rescale,
        ),
    )
    tree = jax.tree.map(lambda column: np.asarray(column[0]), found.search_tree)
    is_over = game.batch_outcome(game.State(*tree.embeddings))[0]
    nodes, waiting = {}, [("", 0)]
    while waiting:
        path, row = waiting.pop()
        nodes[path] = [tree.children_visits[row].tolist()]
        waiting += [
            (f"{path} {action}".strip(), child)
            for action, child in enumerate(tree.children_index[row].tolist())
            if child >= 0 and not is_over[child]  # mctx searches on after the end, to no effect
        ]
    q_values = tree.children_rewards + tree.children_discounts * tree.children_values
    nodes[""].append(np.where(tree.children_visits[0], q_values[0], 0).tolist())
    noise, policy = tree.extra_data.root_gumbel.tolist(), found.action_weights[0].tolist()
    return Answer(noise, int(found.action[0]), policy, nodes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", metavar="FILE", help="the file for mctx's results")
    target = parser.parse_args().write
    answers = [ask(case) for case in CASES]
    for case, answer in zip(CASES, answers, strict=True):
        print(f"{case}: {compare(case, answer)} nodes, all equal")
    if target:
        with open(target, "w", encoding="utf-8") as file:
            json.dump([answer._asdict() for answer in answers], file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main()
