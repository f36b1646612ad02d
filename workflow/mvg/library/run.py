"""The index of a run of the workflow: what dev chose there, in the form that the library loads."""

import numpy as np

from ..datasets.pairs import Split, of_queries
from ..evaluation.ranks import dev_rows
from ..multiview import Addition
from ..search.combined import Combined
from .index import MultiViewIndex
from .inputs import Pairs
from .log import Dev, Log
from .methods import PLAIN, Fitted, Settings


def index_of_run(
    addition: Addition, choice: dict, documents, queries, train: Split, dev: Split, settings: Settings, texts: dict,
    factory: str = "exact", threads: int = 1,
) -> MultiViewIndex:  # fmt: skip
    """An index that ranks as the run's method does.

    choice: what :meth:`mvg.evaluation.combinations.Built.save` wrote beside the addition
    documents, queries: float32 (n, dim), the encoder's, of all splits; train, dev: rows of these
    settings: of the run; an update is fitted with these
    texts: ``ids`` and ``document_texts``, one a document; ``query_texts`` and ``asked``, one a query of all splits

    ValueError if faiss cannot build ``factory``.
    """
    log = Log(
        documents, np.asarray(queries[train.queries]), Pairs(*of_queries(train.pairs, train.queries), None),
        texts["ids"], texts["document_texts"],
        [texts["query_texts"][row] for row in train.queries], np.asarray(texts["asked"], dtype=np.int64)[train.queries],
    )  # fmt: skip
    relevant, excluded = (of_queries(pairs, dev.queries) for pairs in (dev.pairs, dev.excluded))
    held = Dev(np.asarray(queries[dev.queries]), relevant, excluded)
    method = choice["method"] or PLAIN
    on_dev = {trial["method"] or PLAIN: trial for trial in (*choice["trials"], choice)}
    metrics = {"k": settings.k, "queries": len(dev_rows(dev, len(documents), settings.seed))} | {
        name: {"recall": on_dev[name]["recall"], "map": on_dev[name]["map"]}
        for name in (PLAIN, method)
        if name in on_dev
    }
    known = {"method", "index_ratio", "recall", "map", "trials"}
    constants = {name: value for name, value in choice.items() if name not in known}
    made = Fitted(method, constants, metrics, addition, None)
    return MultiViewIndex(log, settings, held, made, Combined(addition, factory, threads), factory)


def how_to_encode(name: str, settings: dict) -> dict:
    """What a manifest says of an encoder of the config; paths start from the folder of the index.

    settings: its entry of ``encoder_settings``, defaults included
    """
    kind = settings["kind"]
    model = f"../../{name}/model"
    if kind == "dssm":
        return {"kind": kind, "model": model, "settings": {key: settings[key] for key in settings if key != "kind"}}
    if kind in ("pretrained", "sbert"):
        how = {key: settings[key] for key in ("max_tokens", "pooling", "precision")}
        # What was trained with a pooling of its own has it.
        trained = {"init": model, "pooling": None} if kind == "sbert" else {}
        return {"kind": "pretrained", "init": settings["init"]} | how | trained
    return {"kind": kind} | {key: settings[key] for key in ("path", "module") if key in settings}
