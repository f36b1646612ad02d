"""Small invented raw datasets, one of each format, as the bytes of their files by name."""

import gzip
import io
import json
import tarfile
import zipfile


def jsonl(*records) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def law(id, title, *concepts, labels="eurovoc_concepts") -> dict:
    return {"celex_id": id, "title": title, "main_body": [], labels: list(concepts)}


def article(pmid, title, *headings) -> str:
    mesh = "".join(
        f'<MeshHeading><DescriptorName UI="{ui}">{name}</DescriptorName></MeshHeading>' for ui, name in headings
    )
    mesh = f"<MeshHeadingList>{mesh}</MeshHeadingList>" if mesh else ""
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID>'
        f"<Article><ArticleTitle>{title}</ArticleTitle></Article>{mesh}"
        "</MedlineCitation></PubmedArticle>\n"
    )


def medline(*articles, prolog="") -> bytes:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f"{prolog}\n<PubmedArticleSet>\n{''.join(articles)}</PubmedArticleSet>\n"
    ).encode()


def bioasq(*articles) -> bytes:
    """Articles (pmid, title, name, ...), one per line as in the original."""
    records = [{"pmid": str(pmid), "title": title, "meshMajor": names} for pmid, title, *names in articles]
    return b'{"articles": [\n' + b",\n".join(json.dumps(record).encode() for record in records) + b"\n]}\n"


def mesh(*descriptors) -> bytes:
    """Descriptor records (UI, name) of MeSH, each with a cross-reference."""
    records = "".join(
        f'<DescriptorRecord DescriptorClass="1"><DescriptorUI>{ui}</DescriptorUI>'
        f"<DescriptorName><String>{name}</String></DescriptorName><PharmacologicalActionList><DescriptorReferredTo>"
        "<DescriptorUI>D99</DescriptorUI><DescriptorName><String>Other</String></DescriptorName>"
        "</DescriptorReferredTo></PharmacologicalActionList></DescriptorRecord>\n"
        for ui, name in descriptors
    )
    return f'<?xml version="1.0"?>\n<DescriptorRecordSet LanguageCode="eng">\n{records}</DescriptorRecordSet>'.encode()


def page(uid, title, *targets) -> dict:
    return {"uid": uid, "title": title, "content": "", "target_ind": list(targets)}


# Their splits depend on the sha256 of the id.
TRAIN_PMID, DEV_PMID, TEST_PMID = 101, 132, 111
TRAIN_PAGE, DEV_PAGE = "page-a", "page-d"

MICE = ("D01", "Mice")
RAW_FILES = {
    "eurlex": {
        "eurovoc_concepts.jsonl": jsonl({"id": "1", "title": "fish"}, {"id": "2", "title": "tax"}),
        "train.jsonl": jsonl(law("3A", "On fish\n", "1"), law("3B", "On fish and tax\n", "1", "2")),
        "dev.jsonl": jsonl(law("3C", "On tax", "2")),
        "test.jsonl": jsonl(law("3D", "On fish", "1")),
    },
    "eurlex-json": {
        "dataset/EURLEX57K.json": jsonl({"1": {"label": "fish"}, "2": {"label": "tax"}}),
        "dataset/train/3A.json": jsonl(law("3A", "On fish\n", "1", labels="concepts")),
        "dataset/dev/3C.json": jsonl(law("3C", "On tax", "2", labels="concepts")),
        "dataset/test/3D.json": jsonl(law("3D", "On fish", "1", labels="concepts")),
    },
    "beir": {
        "corpus.jsonl": jsonl({"_id": "a", "title": "Apple", "text": ""}, {"_id": "p", "title": "", "text": "Pear"}),
        "queries.jsonl": jsonl(*({"_id": f"q{i}", "text": text} for i, text in enumerate(["red", "green", "ripe"]))),
        "qrels/train.tsv": b"query-id\tcorpus-id\tscore\nq0\ta\t1\nq0\tp\t1\n",
        "qrels/dev.tsv": b"query-id\tcorpus-id\tscore\nq1\ta\t1\n",
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq2\tp\t1\n",
    },
    # The splits depend on the sha256 of the text.
    "csv": {"pairs.csv": b"query,document\nfruit,Apple\nfruit,Pear\nstone,Pear\njam,Apple\n"},
    "bioasq": {"allMeSH.json": bioasq(*((pmid, "On mice", "Mice") for pmid in (TRAIN_PMID, DEV_PMID, TEST_PMID)))},
    "mesh-csv": {  # 27 rows, whose numbers decide the splits
        "pubmed.csv": b"id,Title,meshMajor\n" + b"".join(b"7,On mice,\"['Mice', 'Humans']\"\n" for _ in range(27))
    },
    "medline": {
        "a.xml.gz": gzip.compress(medline(article(TRAIN_PMID, "On mice", MICE))),
        "b.xml.gz": gzip.compress(medline(article(DEV_PMID, "Of mice", MICE), article(TEST_PMID, "By mice", MICE))),
    },
    "xc": {
        "lbl.json.gz": gzip.compress(jsonl(page("l0", "Apple"), page("l1", "Pear"))),
        "trn.json.gz": gzip.compress(jsonl(page(TRAIN_PAGE, "Fruit", 0, 1), page(DEV_PAGE, "Stone", 1))),
        "tst.json.gz": gzip.compress(jsonl(page("page-t", "Tree", 0))),
        "filter_labels_train.txt": b"",
        "filter_labels_test.txt": b"",
    },
    # Fourteen days: the last two are test, the day before them dev.
    "clicklog": {
        "clicks.csv": b"query,document,count,date\n"
        b"tea,p1,3,2024-01-01\nTea,p2,1,2024-01-05\ntea,p1,2,2024-01-12\ncup 7,p2,4,2024-01-14\n",
        "documents.csv": b"document,text\np1,Green tea\np2,A cup\n",
    },
    # By the sha256 of its id, query 9 of train is dev.
    "msmarco": {
        "collection.tsv": b"7\tCows give milk.\n8\tHens lay eggs.\n",
        "queries.train.tsv": b"1\twho gives milk\n9\twhat do hens lay\n4\tunjudged\n",
        "qrels.train.tsv": b"1\t0\t7\t1\n9\t0\t8\t1\n",
        "queries.dev.tsv": b"2\twho lays eggs\n",
        "qrels.dev.tsv": b"2\t0\t8\t1\n2\t0\t7\t0\n",
    },
}


def write_files(folder, files: dict[str, bytes]):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def write_zip(path, files: dict[str, bytes]):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tar(files: dict[str, bytes]) -> bytes:
    """The bytes of a ``.tar.gz``."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()
