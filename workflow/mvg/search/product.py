"""The inner product in float64 that decides every ranking."""

import numpy as np
from numba import njit


# Reassociation lets it use vector registers; the order of summation is the same in every call.
@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += np.float64(a[i]) * np.float64(b[i])
    return total
