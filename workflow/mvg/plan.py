"""What a run makes, worked out from its checked config: datasets, encoders, rows, variants. No Snakemake."""

from pathlib import Path

from .config import DOWNLOADS, OWN_DATASET, ConfigError, exists, format_of, source_of
from .formats import FORMATS
from .names import WRAPPERS

LEXICAL = ("bm25", "popularity")
DEPTHS = {"click_log": 200, "flat_popularity": 1000}  # documents a ranking holds for an experiment's own dataset
TRAINED = ("dssm", "sbert", "colbert")  # kinds of encoders that a run trains


class Plan:
    """The run of one checked config.

    Encoders that repeat another one with another seed (``dssm-s1``) or dimension (``dssm-d8``) are
    entries of ``settings`` like any other: the same rules train and encode with them.

    Raises ConfigError if such a name is taken.
    """

    def __init__(self, config: dict):
        self.config, self.run = config, config["run"]
        self.settings = dict(config["encoder_settings"])  # encoder -> its settings, variants included
        self.seeds = self._add_seeds()  # encoder -> its own seed, of those that repeat another one
        self.dimensions = self._add_dimensions()  # dimension -> encoder
        self.budget = "beta{beta}-m{m_avg}".format(**config["multiview"])  # a folder's name

    # Datasets

    @property
    def datasets(self) -> list[str]:
        """The datasets of the benchmark."""
        return self.config["datasets"]

    def all_datasets(self) -> list[str]:
        """Those of the benchmark, then those that experiments have for themselves."""
        own = [self.config[name]["dataset"] for name in self.config["experiments"] if name in OWN_DATASET]
        return list(dict.fromkeys(self.datasets + own))

    def titles(self, datasets=None) -> dict[str, str | None]:
        """Dataset -> what tables and figures call it, None for its own name; of those of the benchmark by default."""
        datasets = self.datasets if datasets is None else datasets
        return {dataset: self.source(dataset).get("title") for dataset in datasets}

    def has_papers(self) -> bool:
        """Whether the paper has numbers for any dataset of the run."""
        return any(dataset in DOWNLOADS for dataset in self.all_datasets())

    def source(self, dataset: str) -> dict:
        """Its entry of ``sources``, or what ``raw_dir`` makes of it."""
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
        """Where the raw files of a download, or of the user, lie; None for simulated ones, which are made."""
        source = self.source(dataset)
        folders = {"path": source.get("path"), "download": f"{self.config['download_dir']}/{dataset}"}
        return folders.get(source["source"])

    def raw_files(self, dataset: str) -> str | list[str]:
        """What preparing a dataset waits for: the folder that is simulated, the list of what came, or the user's files.

        ConfigError for a file name that Snakemake would take for a pattern.
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
        """Whether it is simulated, and not the rehearsal of scale."""
        return self.source(dataset)["source"] == "simulated" and dataset != "large"

    def metrics(self) -> list[str]:
        """The metrics of the benchmark: the paper's, then the others that the config names."""
        return list(dict.fromkeys(["recall", "map", *self.config["metrics"]]))

    def depth(self, dataset: str) -> int:
        """How many documents its rankings hold: as many as anybody asks of it."""
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
        """The one whose query vectors measure diversity."""
        return self.config["diversity_encoder"] or self.first_encoder()

    def encoder(self, dataset: str, encoder: str) -> dict:
        """Its settings; those that differ by dataset are this dataset's."""
        entry = dict(self.settings[encoder])
        if isinstance(entry.get("init"), dict):
            if dataset not in entry["init"]:
                raise ConfigError(f"encoder_settings.{encoder}.init", f"no entry for {dataset}")
            entry["init"] = entry["init"][dataset]
        if isinstance(entry.get("vocabulary"), dict):
            entry["vocabulary"] = entry["vocabulary"].get(dataset)  # None: by the number of words
        return entry

    def module(self, encoder: str) -> str:
        """The module of mvg.encoders with its ``encode``: the user's, or the one that is called as its kind."""
        return self.settings[encoder].get("module", self.kind(encoder))

    def arguments(self, encoder: str) -> dict:
        """What that ``encode`` takes beside the texts, the splits and the seed."""
        entry = self.settings[encoder]
        return entry["settings"] if entry["kind"] == "module" else {k: v for k, v in entry.items() if k != "kind"}

    def seed(self, encoder: str) -> int:
        """The run's; of an encoder that repeats another one, its own."""
        return self.seeds.get(encoder, self.config["seed"])

    def vector_files(self, dataset: str, encoder: str) -> dict[str, str]:
        """The user's own vectors. ConfigError, with what they must be, if they are not there."""
        folder = f"{self.encoder(dataset, encoder)['path']}/{dataset}"
        for side, texts in (("documents", "corpus.jsonl"), ("queries", "queries.jsonl")):
            if not exists(f"{folder}/{side}.npy", Path.is_file):
                data = f"results/{self.run}/{dataset}/data"
                rows = f"expected a row for each line of {data}/{texts}, which `snakemake {data}/stats.json` writes"
                where = f"encoder_settings.{encoder}.path"
                raise ConfigError(where, f"no such file: {folder[:200]}/{side}.npy: {rows}")
        return {"document_vectors": f"{folder}/documents.npy", "query_vectors": f"{folder}/queries.npy"}

    def init_files(self, dataset: str, encoder: str) -> dict[str, list[str]]:
        """``init``: the files of the model folder that it starts from, if that is a folder here."""
        init = self.encoder(dataset, encoder).get("init", "scratch")
        files = [] if init == "scratch" else [path for path in Path(init).expanduser().rglob("*") if path.is_file()]
        files = sorted(str(path) for path in files if not set("{}<>") & set(str(path)))
        return {"init": files} if files else {}

    def token_files(self) -> dict[str, str]:
        """The vectors of the first encoder with a vector a token, by what they are, if the run has one."""
        names = {"tokens": "tokens", "starts": "starts", "token_queries": "query_tokens.test"}
        return {
            key: f"<results>/{{dataset}}/{encoder}/{name}.npy"
            for encoder in self.token_encoders()[:1]
            for key, name in names.items()
        }

    def pretrained(self) -> list[list[str]]:
        """[dataset, encoder, init] of each encoder that starts from somebody's weights."""
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
        """What goes over an encoder, ``mvg+`` for one: the rest of the grammar needs one vector a text."""
        more = [] if self.kind(encoder) == "colbert" else self.config["multiview"]["methods"]
        return [*WRAPPERS.values(), *(f"{name}+" for name in more)]

    def methods_over(self, encoder: str) -> list[str]:
        """BM25 and the encoder: plain, with the prior, with MVG."""
        return ["bm25", encoder, f"prior+{encoder}", f"mvg+{encoder}"]

    # Seeds

    def repeated(self) -> dict[tuple[str, str], dict[str, int]]:
        """(dataset, encoder) -> the encoders that repeat it with other seeds: name -> seed."""
        seeds = self.config["seeds"] if isinstance(self.config["seeds"], dict) else {"values": self.config["seeds"]}
        values = [seed for seed in seeds["values"] if seed != self.config["seed"]]
        return {
            (dataset, encoder): {f"{encoder}-s{seed}": seed for seed in values}
            for dataset in self.datasets
            for encoder in self.encoders
            if values
            and dataset in seeds.get("datasets", [dataset])
            and encoder in seeds.get("encoders", [encoder])
            and self.config["encoder_settings"][encoder]["kind"] in TRAINED
        }

    def _add_seeds(self) -> dict[str, int]:
        seeds = {}
        for (_, encoder), names in self.repeated().items():
            for name, seed in names.items():
                if name in self.config["encoder_settings"]:
                    expected = "another name: this one is taken by one of the seeds"
                    raise ConfigError(f"encoder_settings.{name}", expected)
                self.settings[name], seeds[name] = self.settings[encoder], seed
        return seeds

    def seed_rows(self) -> list[tuple[str, str, str]]:
        """(dataset, method, the method with one of its seeds) of all that seeds.csv averages over."""
        return [
            (dataset, wrapper + encoder, wrapper + name)
            for (dataset, encoder), names in self.repeated().items()
            for wrapper in self.added(encoder)
            for name in [encoder, *names]
        ]

    # Sweeps

    def sweep_encoders(self) -> list[str]:
        """Those whose budget is swept: the first of the run with one vector a text, if none is named."""
        sweeps = self.config["sweeps"]
        return sweeps["encoders"] or [*self.bi_encoders(), sweeps["dssm"]][:1]

    def swept(self) -> list[tuple[str, str]]:
        """(dataset, encoder) of the budget sweep; the click log, where the paper has it, with its own encoder."""
        pairs = [(dataset, encoder) for dataset in self.datasets for encoder in self.sweep_encoders()]
        own = [(name, self.config["click_log"]["encoder"]) for name in self.click_log()]
        return list(dict.fromkeys(pairs + own))

    def click_log(self) -> list[str]:
        """The click log's dataset, if the run has that experiment."""
        return [self.config["click_log"]["dataset"]] if "click_log" in self.config["experiments"] else []

    def spectrum_encoders(self) -> list[str]:
        """Those whose sizes are held against token-level encoders: S.BERT as in the paper, if the run has it."""
        sbert = [encoder for encoder in self.bi_encoders() if self.kind(encoder) == "sbert"]
        return self.config["sweeps"]["encoders"] or sbert[:1] or self.sweep_encoders()

    def sweep_datasets(self) -> list[str]:
        """Those on which encoders are trained for a sweep: the first of the run, if none is named."""
        return self.config["sweeps"]["datasets"] or self.datasets[:1]

    def ablated(self) -> list[str]:
        """The encoders of the ablations, which take a while: those of the run among those of the sweeps."""
        return [encoder for encoder in self.sweep_encoders() if encoder in self.bi_encoders()]

    def frontier_encoders(self) -> list[str]:
        """The encoders of the frontier: those of the run among those of its grid, or the first of the run."""
        named = self.config["sweeps"]["frontier"]["encoders"] or []
        return [encoder for encoder in named if encoder in self.bi_encoders()] or [self.first_encoder()]

    def compared_dimensions(self) -> dict[int, dict[str, int]]:
        """For each r of the dimension sweep: r, the paper's rival 2r, and the rival of MVG's size."""
        growth = 1 + self.config["multiview"]["m_avg"]
        return {
            r: {"dssm": r, "dssm(2r)": 2 * r, "dssm(equal)": round(growth * r)}
            for r in sorted(self.config["sweeps"]["dimensions"])
        }

    def _add_dimensions(self) -> dict[int, str]:
        """Dimension -> encoder: the swept DSSM itself where it has the dimension, else its variant."""
        name = self.config["sweeps"]["dssm"]
        own = self.settings[name]
        found = {}
        for dimension in dict.fromkeys(d for row in self.compared_dimensions().values() for d in row.values()):
            variant = name if dimension == own["dimension"] else f"{name}-d{dimension}"
            settings = {**own, "dimension": dimension}
            if self.settings.setdefault(variant, settings) != settings:
                expected = "another name: this one is taken by a dimension of the sweep"
                raise ConfigError(f"encoder_settings.{variant}", expected)
            found[dimension] = variant
        return found

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
        views = "MVG + Prior is as Prior where dev chose no views over it."
        return f"{self.budget_note()} {views} Seed {self.config['seed']}."
