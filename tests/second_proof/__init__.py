"""A second proof of the costs, independent of the first (`tests/oracles`).

It was written from a summary of the papers, and knows nothing of the product but its
public Python API: no formula, no code and no helper of another test. Its author is
another one than that of the first proof, except for `non_monotonic` and `covington`.
`python -m tests.second_proof` prints the tables.

- `configuration`: configurations and transitions, as plain tuples.
- `arc_eager`, `unshift`, `non_monotonic`, `arc_standard`, `arc_hybrid`,
  `arc_hybrid_swap`, `covington`, `easy_first`: the transitions of a system, as pure
  functions with preconditions.
- `trees`: gold trees; `search`: exhaustive search for the least loss.
- `walk`: the same walk through the proof's and the product's configurations.
- `comparison`: costs of the product beside those of the search; `along_paths`: the same
  for SWAP and for given arcs, where less is promised.
- `cases`: what is compared; `report`: the tables.
"""
