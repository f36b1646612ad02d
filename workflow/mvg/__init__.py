"""MVG, the Multi-View Geometric Index: behavioural vectors for dense retrieval.

The rooms, in the order in which data flow; a room imports only from rooms before it:

- ``io``: atomic files, archives, shards, the error type
- ``datasets``: prepared datasets (BEIR folders), their texts, splits and pairs
- ``formats``, ``fetch``, ``simulate``: raw files, read, downloaded or drawn
- ``lexical``, ``encoders``: rankings and vectors of texts
- ``multiview``: what a log can add to an encoder
- ``search``: exact and approximate max-sim search
- ``evaluation``: metrics, significance, choices on dev
- ``reporting``: one look for tables and figures
- ``verdicts``: the paper's numbers beside ours
- ``experiments``: one module each
"""

__version__ = "0.2.0"
