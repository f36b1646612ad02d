"""What a log can add to an encoder. The paper's method: step 1 spends the budget, step 2 clusters queries."""

from .budget import allocate, shares
from .clustering import Behavioural, fit

__all__ = ["Behavioural", "allocate", "fit", "shares"]
