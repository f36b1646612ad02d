"""Memory and time at the full size of the originals, on simulated files.

    python tests/benchmarks/full_size.py pubmed        prepare 30 files of 30,000 articles, a sample drawn from them
    python tests/benchmarks/full_size.py wikiseealso   prepare 312,330 labels, 693,082 + 177,515 points
    python tests/benchmarks/full_size.py clustering    budget and cluster a quarter, a half, and all of PubMed's pairs

The files are written to a temporary folder (about 5, 1 and 1.2 GB). A separate process prepares them, and its largest
resident set is printed beside the limit. Clustering runs in this process, maps its vectors, and prints the anonymous
memory. The exit code is 1 above a limit.
"""

import gzip
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMITS = {"pubmed": (2.0, None), "wikiseealso": (4.0, 10.0), "clustering": (4.0, None)}  # GiB, minutes
OPTIONS = {"pubmed": {"sample": {"train": 1_200_000, "dev": 1000, "test": 100_000}}, "wikiseealso": {}}
FORMATS = {"pubmed": "medline", "wikiseealso": "xc"}

PREPARE = """
import json, sys
from collections import Counter
from mvg.datasets.writing import write_prepared
from mvg.formats import FORMATS
format, path, target, options = sys.argv[1:]
dropped = Counter()
stats = write_prepared(FORMATS[format].read(path, dropped, **json.loads(options)), target, dropped, {})
print(json.dumps(stats))
"""


class Text:
    """Slices of a long text of invented words, which gzip compresses to about a third."""

    def __init__(self, rng: random.Random, size=2**22):
        words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 11))) for _ in range(30_000)]
        self._rng, self._text = rng, " ".join(rng.choices(words, k=size // 7))

    def of(self, size: int) -> str:
        at = self._rng.randrange(len(self._text) - size)
        return self._text[at : at + size]


def pubmed(folder: Path, files=30, articles=30_000, descriptors=29_000) -> None:
    """A baseline with MeSH: records of about 8 KB and 200 elements, like the originals."""
    rng = random.Random(0)
    text = Text(rng)
    names = [f"Descriptor {text.of(12)} {row}" for row in range(descriptors)]
    records = "".join(
        f"<DescriptorRecord><DescriptorUI>D{row:06d}</DescriptorUI><DescriptorName><String>{name}</String>"
        "</DescriptorName></DescriptorRecord>\n"
        for row, name in enumerate(names)
    )
    (folder / "desc2026.xml").write_text(f"<DescriptorRecordSet>{records}</DescriptorRecordSet>")
    authors = "".join(
        f"<Author><LastName>{text.of(8)}</LastName><ForeName>{text.of(6)}</ForeName><Initials>A</Initials>"
        f"<AffiliationInfo><Affiliation>{text.of(90)}</Affiliation></AffiliationInfo></Author>"
        for _ in range(6)
    )
    references = "".join(
        f'<Reference><Citation>{text.of(60)}</Citation><ArticleIdList><ArticleId IdType="pubmed">{row}</ArticleId>'
        "</ArticleIdList></Reference>"
        for row in range(25)
    )
    for file in range(files):
        name = folder / f"pubmed26n{file + 1:04d}.xml.gz"
        with gzip.open(name, "wt", compresslevel=1, encoding="utf-8") as output:
            output.write('<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n')
            for row in range(articles):
                rows = [int(descriptors * rng.random() ** 6) for _ in range(13)]
                headings = "".join(
                    f'<MeshHeading><DescriptorName UI="D{row:06d}" MajorTopicYN="N">{names[row]}</DescriptorName>'
                    '<QualifierName UI="Q1">genetics</QualifierName></MeshHeading>'
                    for row in rows
                )
                output.write(
                    f'<PubmedArticle><MedlineCitation><PMID Version="1">{file * articles + row}</PMID><Article>'
                    f"<ArticleTitle>{text.of(95)}</ArticleTitle><Abstract><AbstractText>{text.of(1500)}</AbstractText>"
                    f"</Abstract><AuthorList>{authors}</AuthorList></Article>"
                    f"<MeshHeadingList>{headings}</MeshHeadingList></MedlineCitation>"
                    f"<PubmedData><ReferenceList>{references}</ReferenceList></PubmedData></PubmedArticle>\n"
                )
            output.write("</PubmedArticleSet>\n")
        with open(name, "rb") as content:
            md5 = hashlib.file_digest(content, "md5").hexdigest()
        name.with_name(f"{name.name}.md5").write_text(f"MD5({name.name})= {md5}\n")


def wikiseealso(folder: Path, labels=312_330, train=693_082, test=177_515) -> None:
    """The raw zip of LF-WikiSeeAlso-320K, with texts of about 1,500 characters beside the titles."""
    rng = random.Random(0)
    text = Text(rng)

    def write(name: str, number: int, targets: bool) -> None:
        with gzip.open(folder / name, "wt", compresslevel=1, encoding="utf-8") as output:
            for row in range(number):
                record = {"uid": f"{name[:3]}{row}", "title": text.of(20), "content": text.of(1500)}
                if targets:
                    record["target_ind"] = [int(labels * rng.random() ** 2) for _ in range(rng.choice((1, 1, 2, 2, 4)))]
                    record["target_rel"] = [1.0] * len(record["target_ind"])
                output.write(json.dumps(record) + "\n")

    members = {"lbl.json.gz": (labels, False), "trn.json.gz": (train, True), "tst.json.gz": (test, True)}
    with zipfile.ZipFile(folder / "LF-WikiSeeAlso-320K.raw.zip", "w") as archive:
        for name, (number, targets) in members.items():
            write(name, number, targets)
            archive.write(folder / name, f"LF-WikiSeeAlso-320K/{name}")
            (folder / name).unlink()
        for split, number in (("train", train), ("test", test)):
            lines = "".join(f"{row} {rng.randrange(labels)}\n" for row in range(0, number, 4))
            archive.writestr(f"LF-WikiSeeAlso-320K/filter_labels_{split}.txt", lines)


def clustering(pairs=14_000_000, documents=29_000, queries=1_200_000, dimension=256) -> int:
    """8,800 behavioural vectors: PubMed's, at 0.3 a document; random vectors, headings with a long tail."""
    import numpy as np
    from library import Peak, vectors

    sys.path.insert(0, str(ROOT / "workflow"))
    from mvg.multiview import allocate, fit

    rng, peak = np.random.default_rng(0), Peak()
    with tempfile.TemporaryDirectory() as folder:
        asked = vectors(Path(folder, "queries.npy"), queries, dimension, 0)
        owned = np.array(vectors(Path(folder, "documents.npy"), documents, dimension, 1))
        few = np.arange(1000), np.arange(1000) % 100
        fit(owned, asked, few, allocate(np.bincount(few[1], minlength=documents), 100, 0.5))  # compiles
        peak.start()
        for n in pairs // 4, pairs // 2, pairs:
            found = rng.integers(0, queries, n), (documents * rng.random(n) ** 4).astype(np.int64)
            started = time.process_time(), time.monotonic()
            counts = allocate(np.bincount(found[1], minlength=documents), round(0.3 * documents), 0.5)
            made = fit(owned, asked, found, counts, threads=2)
            cpu, wall = time.process_time() - started[0], time.monotonic() - started[1]
            print(f"{n:,} pairs, {len(made.owner):,} vectors: {cpu:.0f} processor s, {wall:.0f} s, {peak.most:.2f} GiB")
    return int(peak.most > LIMITS["clustering"][0])


def main(dataset: str) -> int:
    if dataset == "clustering":
        return clustering()
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        raw.mkdir()
        started = time.monotonic()
        {"pubmed": pubmed, "wikiseealso": wikiseealso}[dataset](raw)
        size = sum(file.stat().st_size for file in raw.iterdir()) / 2**30
        print(f"{dataset}: {size:.2f} GiB of raw files written in {time.monotonic() - started:.0f} s", flush=True)
        started = time.monotonic()
        arguments = [FORMATS[dataset], str(raw), f"{folder}/data", json.dumps(OPTIONS[dataset])]
        command = [sys.executable, "-c", PREPARE, *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={"PYTHONPATH": f"{ROOT}/workflow"}
        )
        minutes = (time.monotonic() - started) / 60
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    most, longest = LIMITS[dataset]
    print(done.stdout.strip())
    print(f"prepared in {minutes:.1f} minutes (limit {longest}), {memory:.2f} GiB resident at most (limit {most})")
    return int(memory > most or (longest is not None and minutes > longest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
