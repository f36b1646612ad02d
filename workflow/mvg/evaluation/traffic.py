"""Scores weighted by traffic, as in the paper's product search (section 6.1)."""

from typing import NamedTuple

import numpy as np

from ..datasets.texts import masked, normalised

OVERALL, SEEN, UNSEEN, NEAR = "overall", "memorization", "generalization", "near-duplicates"


def weighted_mean(scores, weights) -> float:
    """Mean of per-query ``scores`` by traffic; NaN without queries."""
    return float(np.average(scores, weights=weights)) if len(scores) else float("nan")


def query_groups(texts: list[str], training_texts: list[str]) -> dict[str, np.ndarray]:
    """Which of the test queries ``texts`` are in each group, bool (n_queries,).

    ``memorization``: those with the normalised text of a training query; ``generalization``: all
    others; ``near-duplicates``: those of the others that differ from a training query only in numbers.
    """
    seen, near = set(map(normalised, training_texts)), set(map(masked, training_texts))
    memorized = np.array([normalised(text) in seen for text in texts], dtype=bool)
    alike = np.array([masked(text) in near for text in texts], dtype=bool)
    return {OVERALL: np.ones(len(texts), bool), SEEN: memorized, UNSEEN: ~memorized, NEAR: alike & ~memorized}


class Shares(NamedTuple):
    """Percent of the traffic."""

    gains: float
    ties: float
    loses: float


def traffic_shares(scores, base_scores, weights) -> Shares:
    """The shares of the traffic whose queries score above, equal to and below ``base_scores``."""
    change = np.sign(np.asarray(scores) - base_scores)
    return Shares(*(100 * weighted_mean(change == sign, weights) for sign in (1, 0, -1)))
