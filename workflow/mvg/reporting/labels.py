"""The names of datasets, methods and metrics in tables and figures."""

DATASETS = {
    "eurlex": "EurLex",
    "pubmed": "PubMed",
    "wikiseealso": "WikiSeeAlso",
    "msmarco": "MS MARCO",
    "prodsearch": "ProdSearch",
    "clicklog": "Click log",
    "flat": "Flat popularity",
}
METHODS = {
    "bm25": "BM25",
    "popularity": "Popularity",
    "dssm": "DSSM",
    "wordllama": "WordLlama",
    "minilm": "MiniLM",
    "sbert": "S.BERT",
    "colbert": "ColBERT",
    "mvg": "MVG",
    "prior": "Prior",
    "auto": "Auto",
    "moved": "Moved",
    "tuned": "Tuned",
    "shared": "Shared",
    "knn": "kNN",
    "pefa": "PEFA",
    "adapter": "Adapter",
    "ova": "One-vs-all",
    "bertbase": "BertBase",
    "legalbert": "LegalBERT",
    "ance": "ANCE",
    "prod": "Prod",
}
METRICS = {
    "recall": "Recall",
    "map": "MAP",
    "ndcg": "nDCG",
    "mrr": "MRR",
    "propensity_recall": "Propensity-scored recall",
    "index_mfloats": "Index size",
    "index_gb": "Index size (GB)",
    "units_percent": "Units (%)",
    "product_sales_percent": "Product sales (%)",
    "exact_substitute_percent": "Exact or substitute (%)",
    "sparse_results_percent": "Sparse results (%)",
    "sparse_own_threshold_percent": "Sparse, threshold of its own (%)",
    "latency_p90_ratio": "Latency, 90th percentile (times)",
    "gains_percent": "Traffic that gains (%)",
    "ties_percent": "ties (%)",
    "loses_percent": "loses (%)",
    "latency_p90_ms": "Latency, 90th percentile (ms)",
    "similarity": "Similarity",
    "rank": "Rank",
}


def split_method(method: str) -> tuple[str, str]:
    """``mvg+prior+dssm`` -> ``("mvg+prior", "dssm")``: what was added, and the encoder."""
    wrapper, _, base = method.rpartition("+")
    return wrapper, base


def method_label(method: str) -> str:
    """``mvg+dssm-tuned`` -> ``MVG + DSSM-tuned``; unknown names stay as they are."""
    return " + ".join(_part_label(part) for part in method.split("+"))


def _part_label(part: str) -> str:
    name, at, how = part.partition("@")
    name, dash, variant = name.partition("-")
    return METHODS.get(name, name) + dash + variant + (f" ({how})" if at else "")


def dataset_label(dataset: str, simulated: bool = False) -> str:
    """``eurlex`` -> ``EurLex``, or ``EurLex (simulated)``."""
    return DATASETS.get(dataset, dataset) + (" (simulated)" if simulated else "")


def dataset_title(facts: dict, dataset: str) -> str:
    """The name of a dataset in tables and figures: its title in the config or its label; marked if simulated."""
    label = facts.get(dataset, {}).get("title") or dataset_label(dataset)
    return f"{label} (simulated)" if is_simulated(facts, dataset) else label


def metric_label(metric: str, k: int | None = None) -> str:
    """``recall, 100`` -> ``Recall@100``."""
    return METRICS.get(metric, metric) + (f"@{k}" if k is not None else "")


def measures(columns) -> str:
    """Columns (metric, k) in a caption: ``Recall@100 and MAP@100``."""
    *first, last = (metric_label(*column) for column in columns)
    return " and ".join([", ".join(first), last] if first else [last])


def is_simulated(facts: dict, dataset: str) -> bool:
    """Whether ``dataset`` is simulated, according to its ``stats.json``."""
    return bool(facts.get(dataset, {}).get("simulated", False))
