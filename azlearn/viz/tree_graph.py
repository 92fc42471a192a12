"""Draws a search tree with Graphviz, for print."""

import graphviz

from azlearn.viz import colors
from azlearn.viz.formatting import signed
from azlearn.viz.replaying import Record, label_of, victor_at, winner_at
from azlearn.viz.tree_layout import arrange


def digraph(record: Record, max_nodes: int = 40) -> graphviz.Digraph:
    """The most visited part of the tree. The fill shows Q for the player who made the move, and the
    width of an edge shows its visits."""
    plan = arrange(record, max_nodes, max_width=float("inf"), max_levels=None)
    graph = graphviz.Digraph(
        "search_tree",
        graph_attr={"ranksep": "0.45", "nodesep": "0.15", "ordering": "out"},
        node_attr={"fontname": "DejaVu Sans", "fontsize": "11", "shape": "box"},
        edge_attr={"arrowhead": "none", "fontname": "DejaVu Sans", "fontsize": "11"},
    )
    total = max(1, sum(plan.visit_counts[spot.node] for spot in plan.root.kids if spot.node > 0))
    to_play, parent = record["nodes"]["to_play"], record["nodes"]["parent"]
    for number, spot in enumerate(plan.spots()):
        if spot.node < 0:
            continue
        node, n = spot.node, plan.visit_counts[spot.node]
        q = plan.value_sum[node] / n if node and n else None
        fill = colors.LIGHT_THEME["card"] if q is None else colors.q_color(q)
        text = f"N {total}" if node == 0 else f"N {n}\nQ {signed(q)}"
        for who, verb in ((victor_at(record, node), "won"), (winner_at(record, node), "wins")):
            if who is not None:
                mark = record["game"]["drawing"]["marks"]
                text += "\ndraw" if who < 0 else f"\n{mark[who]} {verb}"
        shape = "box" if node == 0 or to_play[parent[node]] else "ellipse"
        graph.node(
            str(node),
            text,
            shape=shape,
            style="filled" if shape == "ellipse" else "filled,rounded",
            fillcolor=fill,
            fontcolor=colors.ink(fill),
            penwidth="2" if node in plan.principal else "1",
        )
        for kid in spot.kids:
            if kid.node < 0:
                graph.node(f"more{number}", f"+{kid.hidden}", shape="plaintext")
                graph.edge(str(node), f"more{number}", style="dashed")
            else:
                share = plan.visit_counts[kid.node] / total
                graph.edge(
                    str(node),
                    str(kid.node),
                    label=f" {label_of(record, kid.node)}",
                    penwidth=f"{max(0.7, 6 * share**0.5):.2f}",
                )
    return graph
