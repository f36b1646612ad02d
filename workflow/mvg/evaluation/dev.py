"""Chooses the constants of the scoring rule on dev queries.

A metric at k follows from the ranks of the relevant documents, without a ranking; the rank of a document is one more
than the number of documents above it. So the parts of the score (vectors, own views, votes) are computed once for a
batch of queries, and a point of a grid costs one pass over them.
"""

from typing import NamedTuple

import numpy as np

from ..datasets.pairs import by_query, of_queries
from ..multiview.addition import Addition, nearest_centers
from ..search.parallel import in_parallel
from .ranks import dev_rows, recall_and_ap

AT_ONCE = 1 << 25  # scores of a batch, of each part
MOST_NEAREST = 30  # centers that are kept for each query
ROUNDS = 3  # in each, one constant after the other is chosen
UNSEEN_COST = 0.1  # points of MAP that may be lost to find more of the documents without a query


class Constants(NamedTuple):
    """The constants of an addition: b, u, c, the scale of the votes, and the length of unseen documents."""

    prior: float = 0.0
    unseen: float = 0.0
    view_bias: float = 0.0
    votes: float = 1.0
    length: float = 1.0


class Dev:
    """Dev queries, and how well a score ranks their documents.

    queries: float32 (n_queries, dim), of all splits; split: the dev :class:`mvg.datasets.pairs.Split`
    popularity: (n_documents,) training queries of each document
    worth: (n_documents,) weight of a hit; if given, only the weighted recall counts, without AP
        (:func:`mvg.evaluation.propensity.weighted_recall`)
    threads: that count ranks; they change nothing in the result
    """

    def __init__(self, queries, split, popularity, k, seed=0, worth=None, threads=1):
        rows = dev_rows(split, len(popularity), seed)
        n = np.asarray(popularity, dtype=np.float64)
        self.queries, self.k, self.map = np.asarray(queries[rows], dtype=np.float32), k, worth is None
        self.threads = threads
        self.log_share, self.unseen = np.log((n + 1) / (n.sum() + len(n))), (n == 0).astype(np.float64)
        self.worth = np.ones(len(n)) if worth is None else np.asarray(worth, dtype=np.float64)
        self.relevant, self.excluded = (
            by_query(of_queries(pairs, rows), len(rows)) for pairs in (split.pairs, split.excluded)
        )
        whole = np.add.reduceat(self.worth[self.relevant[1]], self.relevant[0][:-1])  # of each query
        self.whole = whole if worth is None else np.full(len(whole), whole.mean())
        self.batch = max(1, AT_ONCE // len(n))
        self.kept = None  # the last addition and its parts, if they fit in one batch
        self.near = None  # the last centers and adapter, and what is near to each query

    def bias(self, constants: Constants) -> np.ndarray | None:
        """b log p(d) + u [n_d = 0], float64 (n_documents,); None where both are 0."""
        if not constants.prior and not constants.unseen:
            return None
        return constants.prior * self.log_share + constants.unseen * self.unseen

    def applied(self, addition: Addition, constants: Constants) -> Addition:
        """``addition`` with the constants set."""
        votes = addition.votes
        if votes is not None:
            votes = votes._replace(scale=votes.scale * constants.votes)
        if constants.length != 1:
            lengths = np.where(self.unseen, np.float32(constants.length), np.float32(1))[:, None]
            addition = addition._replace(documents=addition.documents * lengths)
        return addition._replace(bias=self.bias(constants), view_bias=constants.view_bias, votes=votes)

    def line(self, addition: Addition, points: list[Constants]) -> np.ndarray:
        """Recall and AP of each query at each point, in percent: float64 (n_points, n_queries, 2)."""
        return self._values(addition, points)[0]

    def scores(self, addition: Addition) -> np.ndarray:
        """The same for an addition with its own constants: float64 (n_queries, 2)."""
        return self._values(addition, [Constants(view_bias=addition.view_bias)], addition.bias)[0][0]

    def value(self, scores: np.ndarray) -> np.ndarray:
        """The objective for each query: recall + AP, or recall alone."""
        return scores.sum(axis=-1) if self.map else scores[..., 0]

    def __call__(self, addition: Addition) -> float:
        """The mean value of an addition with its own constants."""
        return float(self.value(self.scores(addition)).mean())

    def choose(self, addition: Addition, grids: dict[str, tuple]) -> Constants:
        """The best constants, one coordinate after the other until none changes; of equal ones the earlier.

        The bias and the length of documents without a query are one coordinate. Among the values that cost at most
        ``UNSEEN_COST`` of MAP and are within one standard error of the best, it takes those that find most of them.
        """
        best = Constants(**{name: grid[0] for name, grid in grids.items()})
        coordinates = [[(name,), grid] for name, grid in grids.items() if name not in ("unseen", "length")]
        if "unseen" in grids:
            wanted = self.unseen[self.relevant[1]].any()  # otherwise the bias alone decides how low they rank
            lengths = grids.get("length", (1.0,)) if wanted else (1.0,)
            pairs = [(length, unseen) for length in lengths for unseen in grids["unseen"]]
            coordinates.append([("length", "unseen"), pairs])
        tried = {}  # coordinate -> the best point when its grid was last tried, from which the same follows again
        for _ in range(ROUNDS):
            before = best
            for names, grid in coordinates:
                if tried.get(names) == best:
                    continue
                points = [best._replace(**dict(zip(names, np.ravel(at).tolist(), strict=True))) for at in grid]
                values, unseen = self._values(addition, points)
                at = int(self.value(values).mean(axis=1).argmax())
                if len(names) > 1 and unseen.any():
                    as_good = [self.as_good(values[at], other, UNSEEN_COST) for other in values]
                    at = int(np.where(as_good, unseen, -1).argmax())
                best = tried[names] = points[at]
            if best == before or len(coordinates) == 1:
                break
        return best

    def as_good(self, best: np.ndarray, other: np.ndarray, most_map: float) -> bool:
        """Whether scores (n_queries, 2) are within one (paired) standard error of the best, and within ``most_map``."""
        difference = self.value(best) - self.value(other)
        error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
        map_lost = (best[:, 1] - other[:, 1]).mean() if self.map else 0.0
        return bool(difference.mean() <= error and map_lost <= most_map)

    def _values(self, addition, points, bias=None) -> tuple[np.ndarray, np.ndarray]:
        """For each point, the scores of all queries (as :meth:`line`), and how many unseen documents are found.

        bias: (n_documents,), replaces the biases of the points
        """
        values, unseen = np.empty((len(points), len(self.queries), 2)), np.zeros(len(points))
        for start in range(0, len(self.queries), self.batch):
            part = slice(start, min(start + self.batch, len(self.queries)))
            parts = self._parts(addition, part)
            for i, point in enumerate(points):
                unseen[i] += self._count(parts, part, point, bias, values[i, part])
        return values, unseen

    def _count(self, parts, part, point, bias, out) -> float:
        """Write the scores of a batch of queries at one point into ``out``; returns how many unseen are found."""
        added, found = self.bias(point) if bias is None else bias, []
        added = np.zeros(len(self.worth), dtype=np.float32) if added is None else added.astype(np.float32)
        lengths, whole = np.where(self.unseen, np.float32(point.length), np.float32(1)), self.whole[part]

        def count(some):
            found.append(
                recall_and_ap(
                    *(scores[some] for scores in parts), np.float32(point.view_bias), added, lengths,
                    np.float32(point.votes), part.start + some.start, *self.relevant, *self.excluded, self.worth,
                    whole[some], self.unseen, self.k, out[some],
                )
            )  # fmt: skip

        in_parallel(count, len(out), self.threads)
        return sum(found)

    def _parts(self, addition, part):
        """Scores of the documents, of their best own views, and votes: float32 (n, n_documents), or empty."""
        if self.kept is not None and part == slice(0, len(self.queries)) and _same(self.kept[0], addition):
            return self.kept[1]
        queries, nothing = addition.queries(self.queries[part]), np.empty((0, 0), dtype=np.float32)
        base, views, votes = queries @ np.asarray(addition.documents).T, nothing, nothing
        if addition.views is not None and len(addition.views.owner):
            views = np.full_like(base, -np.inf)
            owners, first = np.unique(addition.views.owner, return_index=True)
            views[:, owners] = np.maximum.reduceat(queries @ np.asarray(addition.views.vectors).T, first, axis=1)
        if addition.votes is not None:
            votes = self._votes(addition, queries)
        if part == slice(0, len(self.queries)):
            self.kept = addition, (base, views, votes)
        return base, views, votes

    def _votes(self, addition, queries):
        """Votes of the nearest centers, which are kept for the next constants of the same centers."""
        votes, key = addition.votes, (addition.votes.centers, addition.adapter)
        depth = min(max(votes.nearest, MOST_NEAREST), len(votes.centers))
        if len(queries) < len(self.queries):
            near, similarity = nearest_centers(queries, votes.centers, depth)
        else:
            if self.near is None or any(a is not b for a, b in zip(self.near[0], key, strict=True)):
                self.near = key, nearest_centers(queries, votes.centers, depth)
            near, similarity = self.near[1]
        n = min(votes.nearest, depth)
        parts = np.array_split(np.arange(len(queries)), 8)
        dense = [votes.of(near[some, :n], similarity[some, :n]).toarray().astype(np.float32) for some in parts]
        return np.vstack(dense)


def _same(a: Addition, b: Addition) -> bool:
    """Whether two additions differ at most in their biases."""
    return all(getattr(a, name) is getattr(b, name) for name in ("documents", "views", "votes", "adapter"))
