from .table import Costs

class TabularCosts(Costs):
    @property
    def n_cells(self) -> int: ...
