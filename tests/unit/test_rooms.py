"""The rooms of the package: who imports whom, and what comes with it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "workflow/mvg"
ROOMS = [
    {"io"},
    {"datasets"},
    {"formats", "fetch", "simulate"},
    {"lexical", "encoders"},
    {"multiview"},
    {"search"},
    {"evaluation"},
    {"reporting"},
    {"verdicts"},
    {"experiments"},
    {"page"},
    {"library"},
    {"commands"},
]
LEVELS = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
EXPERIMENTS = sorted(path.stem for path in (PACKAGE / "experiments").glob("[a-z]*.py"))
ANYWHERE = {("encoders", "evaluation.metrics")}  # needs only numpy: encoders score dev with it
GRAMMAR = "names"  # plain Python outside the rooms: the names of methods


def imports():
    """(file, room, module of mvg that it imports) of every import inside the package."""
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                package = list(parts[: len(parts) - node.level])
                module = ".".join([*package, *([node.module] if node.module else [])])
                names = [module] if node.module or package else [alias.name for alias in node.names]
                for name in names:
                    submodules = [f"{name}.{alias.name}" for alias in node.names]
                    known = [sub for sub in submodules if (PACKAGE / f"{sub.replace('.', '/')}.py").exists()]
                    yield from ((path, parts[0], sub) for sub in known or [name])


def test_a_room_imports_only_from_rooms_before_it():
    backwards = [
        f"{path.relative_to(PACKAGE)}: {module}"
        for path, room, module in imports()
        if room in LEVELS and (target := module.split(".")[0]) not in (room, GRAMMAR)
        if target != "__version__" and LEVELS.get(target, 99) >= LEVELS[room] and (room, module) not in ANYWHERE
    ]
    assert backwards == []


def test_every_folder_is_a_room():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders <= LEVELS.keys() | {"data"}  # the last for one release


@pytest.mark.parametrize(
    ("modules", "unwanted"),
    [
        ("mvg", {"numpy", "faiss", "numba"}),
        ("mvg.plan", {"numpy", "pandas", "torch", "snakemake"}),
        ("mvg.names", {"numpy"}),
        ("mvg.search.index", {"torch", "pandas"}),
        ("mvg.multiview", {"torch", "pandas", "faiss"}),
        ("mvg.evaluation.choice", {"torch", "faiss"}),
        ("mvg.verdicts.table", {"torch", "faiss"}),
        ("mvg.page.writing", {"torch", "faiss", "numba", "matplotlib.pyplot"}),
        ("mvg.datasets.pairs", {"pandas"}),
        ("mvg.evaluation.metrics", {"scipy"}),
        (", ".join(f"mvg.experiments.{name}" for name in EXPERIMENTS), {"torch", "faiss"}),
    ],
)
def test_nothing_heavy_comes_along(modules, unwanted):
    code = f"import sys, {modules}; print(*set({unwanted}) & set(sys.modules))"
    done = subprocess.check_output([sys.executable, "-c", code], cwd=PACKAGE.parent, text=True)
    assert done.strip() == ""


def test_no_room_knows_snakemake():
    assert [path for path in PACKAGE.rglob("*.py") if "import snakemake" in path.read_text(encoding="utf-8")] == []


def test_the_former_home_still_works_and_says_where_things_went():
    from mvg import data

    with pytest.warns(DeprecationWarning, match="import it from mvg.datasets.reading"):
        assert data.load_texts.__module__ == "mvg.datasets.reading"
    with pytest.warns(DeprecationWarning):
        assert "beir" in data.READERS
    with pytest.raises(AttributeError):
        data.nothing  # noqa: B018
