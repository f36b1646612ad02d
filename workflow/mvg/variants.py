"""Variants of an encoder: with another seed (``dssm-s1``) or another dimension (``dssm-d8``).

A variant is an entry of the encoder settings like any other: the same rules train it and encode with it.
"""

from .config import ConfigError

TRAINED = ("dssm", "sbert", "colbert")  # kinds of encoders that a run trains


def more_seeds(config: dict, dataset: str, encoder: str) -> list[int]:
    """The seeds of the config beside the run's own, for an encoder on a dataset."""
    seeds = config["seeds"] if isinstance(config["seeds"], dict) else {"values": config["seeds"]}
    if dataset not in seeds.get("datasets", [dataset]) or encoder not in seeds.get("encoders", [encoder]):
        return []
    return [seed for seed in seeds["values"] if seed != config["seed"]]


def repeated(config: dict) -> dict[tuple[str, str], dict[str, int]]:
    """(dataset, encoder) -> its variants with other seeds: name -> seed."""
    return {
        (dataset, encoder): {f"{encoder}-s{seed}": seed for seed in seeds}
        for dataset in config["datasets"]
        for encoder in config["encoders"]
        if config["encoder_settings"][encoder]["kind"] in TRAINED and (seeds := more_seeds(config, dataset, encoder))
    }


def add_seeds(config: dict, settings: dict[str, dict]) -> dict[str, int]:
    """Add the variants with other seeds to ``settings``; return the seed of each.

    Raises ConfigError if the name of one is taken.
    """
    seeds = {}
    for (_, encoder), names in repeated(config).items():
        for name, seed in names.items():
            if name in config["encoder_settings"]:
                expected = "another name: this one is taken by one of the seeds"
                raise ConfigError(f"encoder_settings.{name}", expected)
            settings[name], seeds[name] = settings[encoder], seed
    return seeds


def compared_dimensions(config: dict) -> dict[int, dict[str, int]]:
    """For each r of the dimension sweep: r, the paper's rival 2r, and the rival of the size of MVG's index."""
    growth = 1 + config["multiview"]["m_avg"]
    return {
        r: {"dssm": r, "dssm(2r)": 2 * r, "dssm(equal)": round(growth * r)}
        for r in sorted(config["sweeps"]["dimensions"])
    }


def add_dimensions(config: dict, settings: dict[str, dict]) -> dict[int, str]:
    """Add the variants of the dimension sweep to ``settings``; return the encoder of each dimension.

    The swept DSSM itself has its own dimension. Raises ConfigError if the name of a variant is taken.
    """
    name = config["sweeps"]["dssm"]
    own = settings[name]
    found = {}
    for dimension in dict.fromkeys(d for row in compared_dimensions(config).values() for d in row.values()):
        variant = name if dimension == own["dimension"] else f"{name}-d{dimension}"
        variant_settings = {**own, "dimension": dimension}
        if settings.setdefault(variant, variant_settings) != variant_settings:
            expected = "another name: this one is taken by a dimension of the sweep"
            raise ConfigError(f"encoder_settings.{variant}", expected)
        found[dimension] = variant
    return found
