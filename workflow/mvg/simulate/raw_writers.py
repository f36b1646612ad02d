"""Writes simulated datasets in raw formats: EURLEX57K, MEDLINE, Extreme Classification, click logs, MS MARCO.

Each writer fills a folder and returns the id of each document, or None if the format doesn't list
it. The bytes depend only on the data: archives have fixed dates and do not name the machine.
"""

import csv
import gzip
import hashlib
import json
import zipfile
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

EURLEX_FIELDS = {"header": "", "recitals": "", "main_body": []}  # only titles are simulated

PUBMED_FILES = 3
PUBMED_BARE = 0.005  # extra articles without MeSH headings, as a share of the others
PUBMED_INLINE = 0.01  # share of titles with an inline element
PUBMED_HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" \
"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">
<PubmedArticleSet>
"""

SEEALSO_NAME = "simulated-seealso"
SEEALSO_TRAIN = 0.75  # share of the queries
SEEALSO_PAGES = 0.05  # share of the labels whose page is also a query, so that the pair is filtered

LOG_START, LOG_DAYS = date(2024, 1, 1), 420  # fourteen months, as in the paper
LOG_TAIL, LOG_MOST = 0.8, 300  # clicks of a query: exponent and upper end of a Pareto law
LOG_SIZES = 0.2  # share of the queries that name a size, one of a few

MARCO_TRAIN = 0.8  # share of the queries


def write_eurlex(folder: Path, drawn, rng: np.random.Generator) -> list[str]:
    """``dataset.zip`` with a jsonl for each split (80/10/10), and ``eurovoc_concepts.jsonl``."""
    ids = [str(number) for number in rng.permutation(len(drawn.titles)) + 1]
    laws = [
        {
            "celex_id": f"3{1958 + row % 60}R{row:05d}",
            "title": f"Regulation No {rng.integers(1, 4000)}: {text}\n",
            **EURLEX_FIELDS,
            "eurovoc_concepts": sorted(ids[document] for document in drawn.relevant[row]),
        }
        for row, text in enumerate(drawn.texts)
    ]
    train, dev, test = np.split(np.array(laws, dtype=object), _cuts(len(laws), 0.8, 0.9))
    splits = {"train": train, "dev": dev, "test": test}
    _write_zip(folder / "dataset.zip", {f"{name}.jsonl": _jsonl(part) for name, part in splits.items()})
    concepts = [{"id": id_, "title": title} for id_, title in zip(ids, drawn.titles, strict=True)]
    (folder / "eurovoc_concepts.jsonl").write_bytes(_jsonl(concepts))
    return ids


def write_pubmed(folder: Path, drawn, rng: np.random.Generator) -> list[str | None]:
    """``pubmed26n000<i>.xml.gz``, each with its ``.md5``. A descriptor without an article is not in the files."""
    uis = [f"D{row:06d}" for row in rng.permutation(len(drawn.titles)) + 1]
    headings = ["".join(_heading(uis[row], drawn.titles[row].title(), rng) for row in rows) for rows in drawn.relevant]
    titles = [_inline_markup(text, rng) for text in drawn.texts]
    bare = max(1, round(PUBMED_BARE * len(titles)))
    articles = [*zip(titles, headings, strict=True), *((title, "") for title in titles[:bare])]
    articles = [articles[row] for row in rng.permutation(len(articles))]
    records = [_article(10_000_000 + row, *article) for row, article in enumerate(articles)]
    for file, part in enumerate(np.array_split(np.array(records, dtype=object), PUBMED_FILES)):
        name = f"pubmed26n{file + 1:04d}.xml.gz"
        data = _gzip((PUBMED_HEAD + "".join(part) + "</PubmedArticleSet>\n").encode())
        (folder / name).write_bytes(data)
        md5 = f"MD5({name})= {hashlib.md5(data).hexdigest()}\n"
        (folder / f"{name}.md5").write_text(md5, encoding="ascii", newline="\n")
    used = {row for rows in drawn.relevant for row in rows}
    return [ui if row in used else None for row, ui in enumerate(uis)]


def write_wikiseealso(folder: Path, drawn, rng: np.random.Generator) -> list[str]:
    """One zip with train and test points, labels, and the pairs of a query and a label that are the same page."""
    pages = _pages_that_are_queries(drawn, rng)
    titles = [drawn.texts[pages[row]] if row in pages else t for row, t in enumerate(drawn.titles)]
    uids = [f"label{row}" for row in range(len(titles))]
    query_uids = [f"page{row}" for row in range(len(drawn.texts))]
    for document, query in pages.items():
        query_uids[query] = uids[document]
    points = [
        _page(uid, text) | {"target_ind": sorted(rows), "target_rel": [1.0] * len(rows)}
        for uid, text, rows in zip(query_uids, drawn.texts, drawn.relevant, strict=True)
    ]
    (cut,) = _cuts(len(points), SEEALSO_TRAIN)
    same = sorted((query, document) for document, query in pages.items())
    members = {
        "trn.json.gz": _gzip(_jsonl(points[:cut])),
        "tst.json.gz": _gzip(_jsonl(points[cut:])),
        "lbl.json.gz": _gzip(_jsonl(_page(*label) for label in zip(uids, titles, strict=True))),
        "filter_labels_train.txt": _pair_lines((q, d) for q, d in same if q < cut),
        "filter_labels_test.txt": _pair_lines((q - cut, d) for q, d in same if q >= cut),
    }
    members = {f"{SEEALSO_NAME}/{name}": data for name, data in members.items()}
    _write_zip(folder / f"{SEEALSO_NAME}.raw.zip", members)
    return uids


def write_clicklog(folder: Path, drawn, rng: np.random.Generator) -> list[str]:
    """``clicks.csv``, with a row per query, product and day, and ``documents.csv`` with the products' titles.

    A click goes to one of the query's documents, most often the first, on a random day of the fourteen
    months. Some queries get a size in each click: variants of a text that differ only in a number.
    """
    ids = [f"P{number:06d}" for number in rng.permutation(len(drawn.titles)) + 1]
    traffic = np.minimum(1 + rng.pareto(LOG_TAIL, len(drawn.texts)), LOG_MOST).astype(int)
    sized = rng.random(len(drawn.texts)) < LOG_SIZES
    rows = Counter()
    for text, relevant, clicks, has_size in zip(drawn.texts, drawn.relevant, traffic.tolist(), sized, strict=True):
        share = 1 / np.arange(1, len(relevant) + 1)
        places = rng.choice(len(relevant), clicks, p=share / share.sum())
        for place, day, size in zip(
            places, rng.integers(LOG_DAYS, size=clicks), rng.integers(1, 5, clicks), strict=True
        ):
            query = f"{text} {10 * size} cm" if has_size else text
            rows[query, ids[relevant[place]], LOG_START + timedelta(int(day))] += 1
    clicks = ((query, product, count, day.isoformat()) for (query, product, day), count in rows.items())
    _write_csv(folder / "clicks.csv", ["query", "document", "count", "date"], clicks)
    _write_csv(folder / "documents.csv", ["document", "text"], zip(ids, drawn.titles, strict=True))
    return ids


def write_msmarco(folder: Path, drawn, rng: np.random.Generator) -> list[str]:
    """``collection.tsv``, and queries and qrels of train and dev, in the format of MS MARCO."""
    ids = [str(number) for number in rng.permutation(len(drawn.titles))]
    _write_tsv(folder / "collection.tsv", zip(ids, drawn.titles, strict=True))
    (cut,) = _cuts(len(drawn.texts), MARCO_TRAIN)
    for name, rows in ("train", range(cut)), ("dev", range(cut, len(drawn.texts))):
        _write_tsv(folder / f"queries.{name}.tsv", ((row, drawn.texts[row]) for row in rows))
        judged = ((row, 0, ids[document], 1) for row in rows for document in drawn.relevant[row])
        _write_tsv(folder / f"qrels.{name}.tsv", judged)
    return ids


def _write_tsv(path: Path, rows) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def _write_csv(path: Path, header: list[str], rows) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def _pages_that_are_queries(drawn, rng: np.random.Generator) -> dict[int, int]:
    """Document row -> the query that is the same page; each query occurs at most once.

    A page that no query links to takes any query, so that the pair is not relevant. A few linked
    pages take a query that links to them, which then has itself and at least one more page as relevant.
    """
    linked_from = [[] for _ in drawn.titles]
    for query, rows in enumerate(drawn.relevant):
        for row in rows if len(rows) > 1 else ():
            linked_from[row].append(query)
    linked = {row for rows in drawn.relevant for row in rows}
    free = iter(rng.permutation(len(drawn.texts)).tolist())
    pages, taken = {}, set()
    for document, own in enumerate(linked_from):
        if rng.random() >= SEEALSO_PAGES:
            continue
        query = own[0] if own else None if document in linked else next(free, None)
        if query is not None and query not in taken:
            pages[document] = query
            taken.add(query)
    return pages


def _page(uid: str, title: str) -> dict:
    return {"uid": uid, "title": title, "content": ""}


def _pair_lines(pairs) -> bytes:
    return "".join(f"{query} {label}\n" for query, label in pairs).encode()


def _heading(ui: str, name: str, rng: np.random.Generator) -> str:
    major = "NY"[int(rng.random() < 0.2)]
    return (
        "      <MeshHeading>\n"
        f'        <DescriptorName UI="{ui}" MajorTopicYN="{major}">{escape(name)}</DescriptorName>\n'
        "      </MeshHeading>\n"
    )


def _article(pmid: int, title: str, headings: str) -> str:
    mesh = f"    <MeshHeadingList>\n{headings}    </MeshHeadingList>\n" if headings else ""
    return (
        '<PubmedArticle>\n  <MedlineCitation Status="MEDLINE" Owner="NLM">\n'
        f'    <PMID Version="1">{pmid}</PMID>\n    <Article PubModel="Print">\n'
        f"      <ArticleTitle>{title}</ArticleTitle>\n    </Article>\n"
        f"{mesh}  </MedlineCitation>\n</PubmedArticle>\n"
    )


def _inline_markup(text: str, rng: np.random.Generator) -> str:
    """The title as XML, sometimes with its first word in an element, as in MEDLINE."""
    text = escape(text)
    if rng.random() >= PUBMED_INLINE:
        return f"{text}."
    element = ("i", "sub")[rng.integers(2)]
    first, space, rest = text.partition(" ")
    return f"<{element}>{first}</{element}>{space}{rest}."


def _cuts(n: int, *shares: float) -> list[int]:
    return [int(share * n) for share in shares]


def _jsonl(entries) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=6, mtime=0)


def _write_zip(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)  # dated 1980-01-01
            entry.create_system = 3  # says Unix on every machine
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
