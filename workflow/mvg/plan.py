"""What a run makes, derived from its checked config: datasets, encoders, rows. Nothing here knows Snakemake."""

from pathlib import Path

from .config import DOWNLOADS, OWN_DATASET, ConfigError, exists, format_of, source_of
from .formats import FORMATS
from .names import WRAPPERS
from .variants import TRAINED, add_dimensions, add_seeds, more_seeds, repeated

LEXICAL = ("bm25", "popularity")
DEPTHS = {"click_log": 200, "flat_popularity": 1000}  # documents a ranking holds for an experiment's own dataset


class Plan:
    """The run of one checked config.

    typed: the options that gave the config, for hints. Raises ConfigError if the name of a variant
    (:mod:`mvg.variants`) is taken.
    """

    def __init__(self, config: dict, typed: str = ""):
        self.config, self.run, self.typed = config, config["run"], typed
        self.settings = dict(config["encoder_settings"])  # encoder -> its settings, variants included
        self.seeds = add_seeds(config, self.settings)  # variant -> its seed
        self.dimensions = add_dimensions(config, self.settings)  # dimension -> encoder
        self.budget = "beta{beta}-m{m_avg}".format(**config["multiview"])  # a folder's name

    # Datasets

    @property
    def datasets(self) -> list[str]:
        """The datasets of the benchmark."""
        return self.config["datasets"]

    def all_datasets(self) -> list[str]:
        """Those of the benchmark, then those that single experiments use."""
        own = [self.config[name]["dataset"] for name in self.config["experiments"] if name in OWN_DATASET]
        return list(dict.fromkeys(self.datasets + own))

    def titles(self, datasets=None) -> dict[str, str | None]:
        """Dataset -> its title in tables and figures, or None; by default for the datasets of the benchmark."""
        datasets = self.datasets if datasets is None else datasets
        return {dataset: self.source(dataset).get("title") for dataset in datasets}

    def has_papers(self) -> bool:
        """Whether the paper has numbers for any dataset of the run."""
        return any(dataset in DOWNLOADS for dataset in self.all_datasets())

    def source(self, dataset: str) -> dict:
        """Its entry of ``sources``, or its folder in ``raw_dir``."""
        return source_of(self.config, dataset)

    def reading(self, dataset: str) -> dict:
        """What its reader needs: format and options, which queries to keep, and whether it is simulated."""
        source, format = self.source(dataset), format_of(self.config, dataset)
        return {
            "format": format,
            "options": {key: source[key] for key in FORMATS[format].options if key in source},
            "keep": source.get("keep", {}),
            "simulated": source["source"] == "simulated",
        }

    def raw_folder(self, dataset: str) -> str | None:
        """The folder of the downloaded files or of the user's; None for simulated files, which a rule makes."""
        source = self.source(dataset)
        folders = {"path": source.get("path"), "download": f"{self.config['download_dir']}/{dataset}"}
        return folders.get(source["source"])

    def raw_files(self, dataset: str) -> str | list[str]:
        """What preparing a dataset waits for: the simulated folder, the list of downloaded files, or the user's files.

        Raises ConfigError for a file name that Snakemake would take for a pattern.
        """
        kind = self.source(dataset)["source"]
        if kind == "simulated":
            return "<results>/{dataset}/raw"
        path = Path(self.raw_folder(dataset))
        if kind == "download":
            return f"{path}/downloaded.json"
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        for file in files:
            if set("{}<>") & set(str(file)):
                expected = f"expected raw files without braces in their names, found {file}"
                raise ConfigError(f"datasets: {dataset}", expected)
        return [str(file) for file in files]

    def is_small(self, dataset: str) -> bool:
        """Whether it is simulated, unless it is the rehearsal of large runs."""
        return self.source(dataset)["source"] == "simulated" and dataset != "large"

    def metrics(self) -> list[str]:
        """The metrics of the benchmark: the paper's, then the others that the config names."""
        return list(dict.fromkeys(["recall", "map", *self.config["metrics"]]))

    def depth(self, dataset: str) -> int:
        """How many documents its rankings hold: the most that any metric or experiment needs."""
        own = [k for name, k in DEPTHS.items() if self.config[name]["dataset"] == dataset]
        return max(self.config["ks"] + own)

    # Encoders

    @property
    def encoders(self) -> list[str]:
        """The encoders of the benchmark."""
        return self.config["encoders"]

    def kind(self, encoder: str) -> str:
        return self.settings[encoder]["kind"]

    def of_kind(self, *kinds: str) -> list[str]:
        """All encoders of some kinds, variants included, whether they run or not."""
        return [name for name, entry in self.settings.items() if entry["kind"] in kinds]

    def bi_encoders(self) -> list[str]:
        """Those of the run with one vector a text."""
        return [encoder for encoder in self.encoders if self.kind(encoder) != "colbert"]

    def token_encoders(self) -> list[str]:
        """Those of the run with a vector a token."""
        return [encoder for encoder in self.encoders if self.kind(encoder) == "colbert"]

    def first_encoder(self) -> str:
        """The one for experiments that take only one."""
        return [*self.bi_encoders(), self.config["diversity_encoder"] or self.config["sweeps"]["dssm"]][0]

    def diversity_encoder(self) -> str:
        """The one whose query vectors measure query diversity."""
        return self.config["diversity_encoder"] or self.first_encoder()

    def encoder(self, dataset: str, encoder: str) -> dict:
        """Its settings; where they differ by dataset, those of this dataset."""
        entry = dict(self.settings[encoder])
        if isinstance(entry.get("init"), dict):
            if dataset not in entry["init"]:
                raise ConfigError(f"encoder_settings.{encoder}.init", f"no entry for {dataset}")
            entry["init"] = entry["init"][dataset]
        if isinstance(entry.get("vocabulary"), dict):
            entry["vocabulary"] = entry["vocabulary"].get(dataset)  # None: from the number of words
        return entry

    def module(self, encoder: str) -> str:
        """The module of mvg.encoders with its ``encode``: the user's, or the one named as its kind."""
        return self.settings[encoder].get("module", self.kind(encoder))

    def arguments(self, encoder: str) -> dict:
        """The arguments of that ``encode`` after the texts, the splits and the seed."""
        entry = self.settings[encoder]
        return entry["settings"] if entry["kind"] == "module" else {k: v for k, v in entry.items() if k != "kind"}

    def seed(self, encoder: str) -> int:
        """The seed of a variant, or else of the run."""
        return self.seeds.get(encoder, self.config["seed"])

    def vector_files(self, dataset: str, encoder: str) -> dict[str, str]:
        """The user's own vectors. Raises ConfigError if they are missing, and says what is expected."""
        folder = f"{self.encoder(dataset, encoder)['path']}/{dataset}"
        for side, texts in (("documents", "corpus.jsonl"), ("queries", "queries.jsonl")):
            if not exists(f"{folder}/{side}.npy", Path.is_file):
                data = f"results/{self.run}/{dataset}/data"
                command = " ".join(["snakemake", f"{data}/stats.json", *filter(None, [self.typed])])
                rows = f"expected a row for each line of {data}/{texts}, which `{command}` writes"
                where = f"encoder_settings.{encoder}.path"
                raise ConfigError(where, f"no such file: {folder[:200]}/{side}.npy: {rows}")
        return {"document_vectors": f"{folder}/documents.npy", "query_vectors": f"{folder}/queries.npy"}

    def init_files(self, dataset: str, encoder: str) -> dict[str, list[str]]:
        """``init``: the files of the model that it starts from, if that is a local folder."""
        init = self.encoder(dataset, encoder).get("init", "scratch")
        files = [] if init == "scratch" else [path for path in Path(init).expanduser().rglob("*") if path.is_file()]
        files = sorted(str(path) for path in files if not set("{}<>") & set(str(path)))
        return {"init": files} if files else {}

    def token_files(self) -> dict[str, str]:
        """The vectors of the run's first encoder with a vector a token, by name; empty if it has none."""
        names = {"tokens": "tokens", "starts": "starts", "token_queries": "query_tokens.test"}
        return {
            key: f"<results>/{{dataset}}/{encoder}/{name}.npy"
            for encoder in self.token_encoders()[:1]
            for key, name in names.items()
        }

    def pretrained(self) -> list[list[str]]:
        """[dataset, encoder, init] of each encoder that starts from given weights."""
        flat = self.config["flat_popularity"]
        own = [(flat["dataset"], x) for x in (flat["encoder"], *flat["beside"])]
        places = [(dataset, encoder) for dataset in self.datasets for encoder in self.encoders]
        places += own * ("flat_popularity" in self.config["experiments"])
        return [
            [dataset, encoder, self.encoder(dataset, encoder)["init"]]
            for dataset, encoder in dict.fromkeys(places)
            if "init" in self.settings[encoder]
        ]

    def trained(self) -> list[list[str]]:
        """[dataset, encoder] of each encoder that the run trains."""
        trained = [encoder for encoder in self.encoders if self.kind(encoder) in TRAINED]
        return [[dataset, encoder] for dataset in self.datasets for encoder in trained]

    # Rows

    def methods(self) -> list[str]:
        """Every row of the benchmark, in the table's order."""
        return [*LEXICAL, *(added + encoder for encoder in self.encoders for added in self.added(encoder))]

    def added(self, encoder: str) -> list[str]:
        """The prefixes of an encoder's rows, such as ``mvg+``. The config's methods need one vector a text."""
        more = [] if self.kind(encoder) == "colbert" else self.config["multiview"]["methods"]
        return [*WRAPPERS.values(), *(f"{name}+" for name in more)]

    def indexed(self) -> str:
        """The method of an encoder in the index to serve: the choice of dev, or else the first method of the config."""
        methods = self.config["multiview"]["methods"]
        return "auto" if "auto" in methods or not methods else methods[0]

    def methods_over(self, encoder: str) -> list[str]:
        """BM25 and the encoder: plain, with the prior, with MVG."""
        return ["bm25", encoder, f"prior+{encoder}", f"mvg+{encoder}"]

    def seed_rows(self) -> list[tuple[str, str, str]]:
        """(dataset, method, the method with one of its seeds) of everything that seeds.csv averages over."""
        return [
            (dataset, wrapper + encoder, wrapper + name)
            for (dataset, encoder), names in repeated(self.config).items()
            for wrapper in self.added(encoder)
            for name in [encoder, *names]
        ]

    # Sweeps

    def sweep_encoders(self) -> list[str]:
        """Those whose budget is swept. By default the first of the run with one vector a text."""
        sweeps = self.config["sweeps"]
        return sweeps["encoders"] or [*self.bi_encoders(), sweeps["dssm"]][:1]

    def swept(self) -> list[tuple[str, str]]:
        """(dataset, encoder) of the budget sweep, and the click log (the paper's set for it) with its own encoder."""
        pairs = [(dataset, encoder) for dataset in self.datasets for encoder in self.sweep_encoders()]
        own = [(name, self.config["click_log"]["encoder"]) for name in self.click_log()]
        return list(dict.fromkeys(pairs + own))

    def click_log(self) -> list[str]:
        """The dataset of the experiment ``click_log``, if the run has it."""
        return [self.config["click_log"]["dataset"]] if "click_log" in self.config["experiments"] else []

    def spectrum_encoders(self) -> list[str]:
        """Those compared with token-level encoders by size. By default S.BERT, as in the paper, if the run has it."""
        sbert = [encoder for encoder in self.bi_encoders() if self.kind(encoder) == "sbert"]
        return self.config["sweeps"]["encoders"] or sbert[:1] or self.sweep_encoders()

    def sweep_datasets(self) -> list[str]:
        """Those on which encoders are trained for a sweep. By default the first of the run."""
        return self.config["sweeps"]["datasets"] or self.datasets[:1]

    def ablated(self) -> list[str]:
        """The encoders of the ablations, which are slow: those of the run that are also in the sweeps."""
        return [encoder for encoder in self.sweep_encoders() if encoder in self.bi_encoders()]

    def frontier_encoders(self) -> list[str]:
        """The encoders of the frontier: those of its grid that are in the run, or else the first of the run."""
        named = self.config["sweeps"]["frontier"]["encoders"] or []
        return [encoder for encoder in named if encoder in self.bi_encoders()] or [self.first_encoder()]

    def frontier_seeds(self, dataset: str) -> list[list[int]]:
        """For each encoder of the frontier, the seeds with which all that goes over it is made again."""
        return [[self.config["seed"], *more_seeds(self.config, dataset, x)] for x in self.frontier_encoders()]

    # Settings that files depend on

    def behind_data(self, dataset: str) -> dict:
        """All settings that a prepared dataset depends on."""
        source = {key: value for key, value in self.source(dataset).items() if key != "title"}
        drawn = {"simulation": self.config["simulation"], "seed": self.config["seed"]}
        return {"source": source, **(drawn if source["source"] == "simulated" else {})}

    def behind_vectors(self, dataset: str, encoder: str) -> dict:
        """All settings that the vectors of an encoder depend on."""
        own = {"settings": self.encoder(dataset, encoder), "seed": self.seed(encoder), "device": self.config["device"]}
        return {"data": self.behind_data(dataset), "encoder": own}

    def behind_rankings(self, dataset: str, encoder: str | None = None) -> dict:
        """All settings that the rankings and scores with an encoder, or without one, depend on."""
        behind = self.behind_vectors(dataset, encoder) if encoder else {"data": self.behind_data(dataset)}
        searched = {"index": self.config["index"], "multiview": self.config["multiview"]}
        chosen = searched if encoder else {"bm25": self.config["bm25"]}
        return behind | {"depth": self.depth(dataset), "ks": self.config["ks"], "metrics": self.metrics(), **chosen}

    # Notes for captions

    def budget_note(self) -> str:
        return "MVG: beta {beta}, {m_avg} vectors a document on average.".format(**self.config["multiview"])

    def settings_note(self) -> str:
        views = "Where dev chose no views, MVG + Prior equals Prior."
        return f"{self.budget_note()} {views} Seed {self.config['seed']}."
