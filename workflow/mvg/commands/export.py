"""``mvg export FOLDER --to ENGINE``: an index as data and a script for an engine that people run."""

import json
import shutil
from pathlib import Path

import numpy as np

from ..io.errors import DataError
from ..io.files import replacing_folder, save_array, save_arrays, text_writer
from . import engines

HELP = "write an index as data and a script for Milvus, Qdrant, OpenSearch or pgvector"
ENGINES = ("milvus", "qdrant", "opensearch", "pgvector")


def add_arguments(parser) -> None:
    parser.add_argument("folder", help="of an index")
    parser.add_argument("--to", required=True, choices=ENGINES, metavar="ENGINE", help=", ".join(ENGINES))
    parser.add_argument("--into", metavar="FOLDER", help="a new folder; default: that of the index, and .ENGINE")


def run(options) -> None:
    into = Path(options.into or f"{Path(options.folder)}.{options.to}")
    export(options.folder, options.to, into)
    pipe = " | psql" if options.to == "pgvector" else ""
    print(f"python {into}/{options.to}.py load{pipe}")


def export(folder, engine: str, into) -> None:
    """Write ``into`` from the index in ``folder``. DataError for one that is damaged, and where ``into`` is in use."""
    from ..library.index import load

    folder, into = Path(folder), Path(into)
    if into.exists():
        raise DataError(into, "", "expected a new folder")
    index = load(folder)
    views, addition = index._index.views, index._fitted.addition
    settings = {"biased": bool(views.biased), "adapter": addition.adapter is not None, "votes": None}
    if addition.votes is not None:
        votes = addition.votes
        settings["votes"] = {key: getattr(votes, key) for key in ("nearest", "how", "temperature", "scale")}
        settings["votes"]["nearest"] = min(votes.nearest, len(votes.centers))
    scripts = Path(engines.__file__).parent
    with replacing_folder(into) as temporary:
        save_array(temporary / "vectors.npy", np.asarray(views.vectors))
        shutil.copy(folder / "documents.tsv", temporary)
        if addition.adapter is not None:
            save_array(temporary / "adapter.npy", addition.adapter)
        if addition.votes is not None:
            shares = addition.votes.shares
            arrays = {"values": shares.data, "documents": shares.indices, "starts": shares.indptr}
            save_arrays(temporary / "votes.npz", centers=addition.votes.centers, **arrays)
        with text_writer(temporary / "settings.json") as file:
            json.dump(settings, file, indent=1)
        for script in ("scoring.py", f"{engine}.py"):
            shutil.copy(scripts / script, temporary)
