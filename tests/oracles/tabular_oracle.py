"""The tabular dynamic oracle of arc-standard, a second time and on purpose slowly.

Goldberg, Sartorio & Satta (2014, TACL 2). The loss of a configuration is the number
of words with a wrong head in it, and the least number of wrong arcs needed to merge
the stack and the collapsed buffer into one tree below ROOT.
"""

from .reference_systems import ROOT


def _collapsed(stack, buffer, gold):
    """The buffer words that cannot be left inside gold subtrees built without loss."""
    kept = []
    for x in buffer:
        dependents = {d for d, head in enumerate(gold, 1) if head == x}
        outside = x == ROOT or gold[x - 1] not in buffer
        if outside or dependents & {*stack, *kept}:
            kept.append(x)
    return kept


def merge_loss(stack, buffer, gold, single_root=False):
    """Least number of wrong arcs that turn stack and buffer into one tree.

    Args:
        gold: Heads, None where unknown.
    """
    left = stack[::-1]
    right = [stack[-1], *_collapsed(stack, buffer, gold)]
    p, q = len(left), len(right)
    tables = {(i, j): {} for i in range(1, p + 1) for j in range(1, q + 1)}
    tables[1, 1] = {stack[-1]: 0}

    def reach(i, j, r, loss):
        tables[i, j][r] = min(loss, tables[i, j].get(r, loss))

    def attach(i, j, head, dependent, loss):
        if dependent != ROOT:
            wrong = gold[dependent - 1] not in (head, None)
            reach(i, j, head, loss + wrong)

    for i, j in tables:
        for r, loss in tables[i, j].items():
            if i < p:
                x = left[i]
                if not (single_root and x == ROOT and j < q):
                    attach(i + 1, j, r, x, loss)
                    attach(i + 1, j, x, r, loss)
            if j < q:
                x = right[j]
                if not (single_root and x == ROOT and i < p):
                    attach(i, j + 1, r, x, loss)
                    attach(i, j + 1, x, r, loss)
    return tables[p, q][ROOT]
