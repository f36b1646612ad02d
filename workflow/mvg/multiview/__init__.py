"""The paper's method: step 1 spends the budget, step 2 clusters queries into vectors."""

from .budget import allocate, shares
from .clustering import fit

__all__ = ["allocate", "fit", "shares"]
