"""MVG, the Multi-View Geometric Index: behavioural vectors for dense retrieval.

Read the rooms in the order in which data flows:
data -> lexical, encoders -> multiview -> search -> evaluation -> reporting.
"""

__version__ = "0.1.0"
