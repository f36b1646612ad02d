"""The Pitman-Yor process by itself, and what the paper's Lemma expects of it."""

import math

import numpy as np

from mvg.simulate.pitman_yor import Restaurant


def pitman_yor(n: int, alpha: float, beta: float, rng: np.random.Generator) -> np.ndarray:
    """Seat ``n`` customers one by one, exactly as the process says.

    Returns int64 (n,), the table of each; tables are numbered as they are first occupied.
    ValueError: alpha <= 0 or beta outside (0, 1).
    """
    restaurant = Restaurant(alpha, beta)
    return np.array([restaurant.arrive(rng) for _ in range(n)], dtype=np.int64)


def expected_tables(n: int, alpha: float, beta: float) -> float:
    """Expected number of occupied tables after ``n`` customers (the paper's Lemma, its product).

    The product of (alpha + beta + j - 1) / (alpha + j - 1) is a ratio of gamma functions.
    """
    gamma = math.lgamma
    log_product = gamma(alpha + beta + n) - gamma(alpha + beta) - gamma(alpha + n) + gamma(alpha)
    return alpha / beta * math.expm1(log_product)
