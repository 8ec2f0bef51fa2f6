"""Word clusters, which the templates with `cl`, `cl4` and `cl6` read.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .files import WordCluster, cluster_table, read_clusters

__all__ = ["WordCluster", "cluster_table", "read_clusters"]
