"""Max-sim search over any mix of vectors: k distinct documents a query, best first.

``mvg.search.index`` needs faiss; ``views`` and ``ranking`` need only numpy.
"""
