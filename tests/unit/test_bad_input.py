"""Bad bytes give one line: the file, the place in it, and what was expected.

Each case of the table replaces or adds one file of a good raw dataset, and gives the beginning of the
message after the name of the file.
"""

import gzip
import io
import warnings
import zipfile

import pyarrow.parquet
import pytest
from raw_sets import MICE, RAW_FILES, article, bioasq, jsonl, law, medline, mesh, page, tar, write_files

from mvg.formats import FORMATS
from mvg.formats import bioasq as bioasq_format
from mvg.io import members, text, xml_records
from mvg.io.errors import DataError

GOOD_LAW = jsonl(law("3Y", "Good", "1"))
GZIP = RAW_FILES["xc"]["tst.json.gz"]


def zipped(files: dict[str, bytes] | list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a name that occurs twice
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, data)
    return buffer.getvalue()


def damaged(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def encrypted(data: bytes) -> bytes:
    """A zip whose first member claims to be encrypted, in both of its headers."""
    central = data.index(b"PK\x01\x02")
    data = data[:6] + b"\x01" + data[7:]
    return data[: central + 8] + b"\x01" + data[central + 9 :]


def misnamed(data: bytes) -> bytes:
    """A zip in which the name of the first member, only in its own header, claims to be UTF-8 but is not."""
    return data[:7] + b"\x08" + data[8:30] + b"\xff" + data[31:]


def stored(name: str, content: bytes) -> bytes:
    """A zip that stores its content uncompressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def xml(*articles, prolog="") -> bytes:
    return gzip.compress(medline(*articles, prolog=prolog))


def trn(*pages) -> bytes:
    return gzip.compress(jsonl(*pages))


UNTITLED = article(1, "T", MICE).replace("ArticleTitle", "Other")
ENTITY = '<!DOCTYPE PubmedArticleSet [<!ENTITY lol "lol">]>'
EXTERNAL = '<!DOCTYPE PubmedArticleSet [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE PubmedArticleSet [<!ENTITY % p SYSTEM "http://nowhere.invalid/p"> %p;]>'
DOCTYPE = '<!DOCTYPE PubmedArticleSet SYSTEM "pubmed.dtd">'
DEEP = b'{"a":' + b"[" * 100_000
HUGE = b'{"celex_id": ' + b"9" * 5000 + b"}"
CLICKS = b"query,document,count,date\ntea,p1,1,2024-01-01\n"


def parquet(**columns) -> bytes:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()


def clicks_parquet(**columns) -> bytes:
    return parquet(**{"query": ["tea"], "document": ["p1"], "count": [1], "date": ["2024-01-01"]} | columns)


BOMB = b" " * (members.RATIO_COUNTS_FROM + 1)

# (format, the file that is replaced or added, the file that the message names): its cases
CASES = {
    ("eurlex", "train.jsonl", "train.jsonl"): [
        (GOOD_LAW + b"\xff\xfe\n", "line 2: expected UTF-8, byte 1 is not"),
        (GOOD_LAW + b"{", "line 2: expected a JSON object, but: Expecting"),
        (b"<html>\n", "line 1: expected a JSON object, but: Expecting value"),
        (b"[1, 2]\n", "line 1: expected a JSON object, found a list"),
        (b"null\n", "line 1: expected a JSON object, found null"),
        (b'{} {"a": 1}\n', "line 1: expected a JSON object, but: Extra data"),
        (b'{"a": NaN}\n', "line 1: expected a JSON object, but: NaN"),
        (b'{"a": -Infinity}\n', "line 1: expected a JSON object, but: -Inf"),
        (DEEP, "line 1: expected a JSON object, but: maximum recursion"),
        (HUGE, "line 1: expected a JSON object, but: Exceeds the limit"),
        (b'{"a": "\x01"}', "line 1: expected a JSON object, but: Invalid"),
        (b"\n" + GOOD_LAW, "line 1: expected a JSON object, found a blank"),
        (b"\0" * 99, "line 1: expected a JSON object, but: Expecting value"),
    ],
    ("eurlex", "dev.jsonl", "dev.jsonl"): [
        (jsonl({"title": "x"}), "line 1: expected a field 'celex_id'"),
        (jsonl({"celex_id": "x"}), "line 1: expected a field 'eurovoc_concepts'"),
        (jsonl(law("x", ["T"])), "line 1: expected 'title' to be a text, found a list"),
        (jsonl(law("x", None)), "line 1: expected 'title' to be a text, found null"),
        (jsonl(law("x", 1.5)), "line 1: expected 'title' to be a text, found a number"),
        (jsonl(law("x", {})), "line 1: expected 'title' to be a text, found an object"),
        (jsonl(law(7, "T")), "line 1: expected 'celex_id' to be a text, found a whole"),
        (jsonl(law("x", "T", 7)), "line 1: expected each entry of 'eurovoc_concepts'"),
        (jsonl(law("x", "T") | {"eurovoc_concepts": "1"}), "line 1: expected 'eurovoc_"),
        (jsonl(law("x", "T", "9")), "line 1: expected concepts of the list of concepts"),
        (jsonl(law("", "T")), "line 1: expected an id, found an empty one"),
        (jsonl(law("a\tb", "T")), "line 1: expected an id without tabs"),
        (GOOD_LAW + GOOD_LAW, "line 2: expected each id once, found '3Y' again"),
        (jsonl(law("3A", "T")), "line 1: expected each id once, found '3A' again"),
    ],
    ("eurlex", "eurovoc_concepts.jsonl", "eurovoc_concepts.jsonl"): [
        (jsonl({"id": "1", "title": 2}), "line 1: expected 'title'"),
        (jsonl({"id": 1, "title": "x"}), "line 1: expected 'id'"),
    ],
    ("eurlex-json", "dataset/dev/x.json", "dataset/dev/x.json"): [
        (b"{", "expected a JSON object, but: Expecting property"),
        (b"\xff", "expected UTF-8, byte 1 is not"),
        (b"", "expected a JSON object, but: Expecting value"),
        (GOOD_LAW, "expected a field 'concepts'"),
    ],
    ("eurlex-json", "dataset/EURLEX57K.json", "dataset/EURLEX57K.json"): [
        (b'{"1": "fish"}', "concept 1: expected an object"),
        (b'{"1": {}}', "concept 1: expected a field 'label'"),
    ],
    ("eurlex", "dataset.zip", "dataset.zip"): [
        (b"", "expected a whole zip file, but: File is not a zip file"),
        (b"<html>404</html>", "expected a whole zip file"),
        (zipped({"dev.jsonl": GOOD_LAW})[:-30], "expected a whole zip file"),
        (zipped({"../dev.jsonl": b""}), "../dev.jsonl: expected members with"),
        (zipped({"/etc/dev.jsonl": b""}), "/etc/dev.jsonl: expected members"),
        (zipped({"C:\\x": b""}), "C:\\x: expected members with relative paths"),
    ],
    ("eurlex", "dataset.zip", "dataset.zip/dev.jsonl"): [
        (zipped({"dev.jsonl": BOMB}), "expected to unpack to at most"),
        (zipped([("dev.jsonl", b"")] * 2), "expected each member once"),
        (damaged(stored("dev.jsonl", GOOD_LAW), 45), "expected a whole"),
        (encrypted(zipped({"dev.jsonl": b"x"})), "expected a whole"),
        (misnamed(zipped({"dev.jsonl": b"x"})), "expected a whole"),
    ],
    ("xc", "tst.json.gz", "tst.json.gz"): [
        (b"", "expected a gzip file, found it empty"),
        (b'{"uid": "x"}\n', "expected a whole, readable file, but: Not a gzip"),
        (GZIP[:-12], "expected a whole, readable file, but: Compressed file ended"),
        (GZIP + b"garbage", "expected a whole, readable file, but: Not a gzip"),
        (damaged(GZIP, len(GZIP) - 8), "expected a whole, readable file, but: CRC"),
        (GZIP[:10] + b"\xff" * 20, "expected a whole, readable file, but: Error -3"),
        (gzip.compress(BOMB), "expected to unpack to at most 200 times its size"),
    ],
    ("xc", "trn.json.gz", "trn.json.gz"): [
        (
            trn(page("x", "T", 0), page("y", "T", 2)),
            "line 2: expected 'target_ind' from 0 to 1, found 2",
        ),
        (trn(page("x", "T", -1)), "line 1: expected 'target_ind' from 0 to 1, found -1"),
        (trn(page("x", "T", True)), "line 1: expected each entry of 'target_ind'"),
        (trn(page("x", "T", 1.0)), "line 1: expected each entry of 'target_ind'"),
        (trn(page("x", "T", "1")), "line 1: expected each entry of 'target_ind'"),
        (trn({"uid": "x", "title": "T"}), "line 1: expected a field 'target_ind'"),
        (trn(page(None, "T", 1)), "line 1: expected 'uid' to be a text, found null"),
    ],
    ("xc", "lbl.json.gz", "lbl.json.gz"): [
        (trn(page("l", "A"), page("l", "B")), "line 2: expected each id once, found 'l'"),
    ],
    ("xc", "filter_labels_train.txt", "filter_labels_train.txt"): [
        (b"0 1\n0\n", "line 2: expected two whole numbers"),
        (b"0 1 1\n", "line 1: expected two whole numbers"),
        (b"0 -1\n", "line 1: expected two whole numbers"),
        (b"0 1\n0 2\n", "line 2: expected label indices up to 1, found 2"),
    ],
    ("xc", "filter_labels_test.txt", "filter_labels_test.txt"): [
        (b"0 1\n1 1\n", "line 2: expected query indices up to 0, found 1"),
    ],
    ("beir", "corpus.jsonl", "corpus.jsonl"): [
        (b"", "expected at least one document, found none"),
        (jsonl({"text": "x"}), "line 1: expected a field '_id'"),
        (jsonl({"_id": "x"}), "line 1: expected a field 'text'"),
        (jsonl({"_id": True, "text": "x"}), "line 1: expected '_id' to be a text, found true"),
        (jsonl({"_id": 1.0, "text": "x"}), "line 1: expected '_id' to be a text, found a number"),
        (jsonl({"_id": "x", "title": 3, "text": "x"}), "line 1: expected 'title' to be a text"),
        (jsonl({"_id": 7, "text": "x"}, {"_id": "7", "text": "y"}), "line 2: expected each id once, found '7'"),
        (jsonl({"_id": "x", "text": "x"})[:-5], "line 1: expected a JSON object, but: Expecting value"),
    ],
    ("beir", "queries.jsonl", "queries.jsonl"): [
        (jsonl({"_id": "q", "text": None}), "line 1: expected 'text' to be a text, found null"),
        (jsonl({"_id": "q\n", "text": "x"}), "line 1: expected an id without tabs"),
        (jsonl({"_id": "q", "text": "x", "metadata": [1]}), "line 1: expected 'metadata' to be an object"),
        (jsonl({"_id": "q", "text": "x", "metadata": {"weight": 0}}), "line 1: expected 'metadata.weight' to be"),
        (jsonl({"_id": "q", "text": "x", "metadata": {"weight": "7"}}), "line 1: expected 'metadata.weight' to be"),
        (b'{"_id": "q", "text": "x", "metadata": {"weight": 1e999}}', "line 1: expected 'metadata.weight' to be"),
    ],
    ("beir", "qrels/train.tsv", "qrels/train.tsv"): [
        (b"q0 a 1\n", "line 1: expected query-id, corpus-id and score, separated by tabs, found 1 columns"),
        (b"q0\t0\ta\t1\n", "line 1: expected query-id, corpus-id and score, separated by tabs, found 4 columns"),
        (b"query-id\tcorpus-id\tscore\nq0\ta\tyes\n", "line 2: expected a score that is a number, found 'yes'"),
        (b"q0\ta\tnan\n", "line 1: expected a score that is a number, found 'nan'"),
        (b"q0\ta\t\n", "line 1: expected a score that is a number, found ''"),
        (b"q0\ta\t1\nq9\ta\t1\n", "line 2: expected an id of "),
        (b"q0\tz\t1\n", "line 1: expected an id of the corpus, found 'z'"),
        (b"q0\ta\t1\n\xff\ta\t1\n", "line 2: expected UTF-8, byte 1 is not"),
    ],
    ("beir", "filters/train.tsv", "filters/train.tsv"): [
        (b"q0\ta\t1\n", "line 1: expected query-id and corpus-id, separated by tabs, found 3 columns"),
        (b"query-id\tcorpus-id\nq8\ta\n", "line 2: expected an id of "),
    ],
    ("csv", "pairs.csv", "pairs.csv"): [
        (b"", "expected a table, found an empty file"),
        (b"\n", "expected a table, found an empty file"),
        (b"fruit\n", "line 1: expected two columns, or the names"),
        (b"a,b,c\n", "line 1: expected two columns, or the names"),
        (b"query,document,x\nfruit,Apple\n", "line 2: expected 3 columns, as in line 1, found 2"),
        (b"fruit,Apple\nstone,Pear,Plum\n", "line 2: expected 2 columns, as in line 1, found 3"),
        (b'fruit,"Apple\nstone,Pear\n', "line 1: expected a row of a table, but: unexpected end of data"),
        (b'fruit,"Ap"ple\n', "line 1: expected a row of a table, but: "),
        (b"fruit,Apple\rstone,Pear\n", "line 1: expected a row of a table, but: new-line character"),
        (b"fruit,Apple\n\xe9\n", "line 2: expected UTF-8, byte 1 is not"),
        ("fruit,Apple\n".encode("utf-16"), "line 1: expected UTF-8, byte 1 is not"),
        (b"\x1f\x8b\x08", "line 1: expected UTF-8, byte 2 is not"),
    ],
    ("medline", "c.xml.gz", "c.xml.gz"): [
        (
            xml(article(1, "&lol;", MICE), prolog=ENTITY),
            "line 2: expected XML without entities of its",
        ),
        (xml(article(1, "&file;", MICE), prolog=EXTERNAL), "line 2: expected XML without"),
        (xml(article(1, "T", MICE), prolog=PARAMETER), "line 2: expected XML without entities"),
        (xml(article(1, "&alpha;", MICE), prolog=DOCTYPE), "line 4: expected XML without"),
        (xml(article(1, "&alpha;", MICE)), "line 4: expected well-formed XML, but: undefined"),
        (xml(article(1, "<i>", MICE)), "line 4: expected well-formed XML, but: mismatched"),
        (xml(article(1, "\0", MICE)), "line 4: expected well-formed XML, but: not well"),
        (gzip.compress(medline(article(1, "T", MICE))[:-9]), "line 5: expected well-formed XML"),
        (gzip.compress(b""), "line 1: expected well-formed XML, but: no element found"),
        (gzip.compress(b"<html/>"), "line 1: expected a root element PubmedArticleSet"),
        (gzip.compress(b'<?xml version="1.0" encoding="klingon"?><a/>'), "expected XML in UTF-8"),
        (xml(article("", "T", MICE)), "line 4: expected a PMID"),
        (xml(article(1, "T", ("D01", " "))), "line 4: expected a name in DescriptorName"),
        (xml(article(1, "T", ("D&#9;1", "x"))), "PMID 1: expected an id without tabs"),
        (xml(UNTITLED), "PMID 1: expected an ArticleTitle"),
        (xml("<a>" * 2000), "line 4: expected at most 1000 elements within each other"),
        (xml(article(1, "x" * (xml_records.MAX_TEXT + 1), MICE)), "line 4: expected at most 4194304 characters"),
        (xml(article(1, "T", MICE)) + b"garbage", "expected a whole, readable file, but: Not a gzip"),
        (xml(article(1, "T", MICE))[:-9], "expected a whole, readable file"),
    ],
    ("medline", "desc2026.xml", "desc2026.xml"): [
        (b"", "line 1: expected well-formed XML, but: no element found"),
        (b"<html/>", "line 1: expected a root element DescriptorRecordSet, found html"),
        (mesh(), "expected at least one descriptor, found none"),
        (mesh(("", "Mice")), "line 3: expected a DescriptorUI and a DescriptorName"),
        (mesh(("D01", "")), "line 3: expected a DescriptorUI and a DescriptorName"),
        (mesh(("D01", "Mice"), ("D01", "Mus")), "descriptor D01: expected one name of D01, found 'Mus'"),
        (mesh(("D01", "Mice"))[:-9], "line 4: expected well-formed XML, but: unclosed token"),
    ],
    ("medline", "downloaded.json", "downloaded.json"): [
        (b"[]", "expected a JSON object, found a list"),
        (b'{"files": {}}', "expected 'files' to be a list, found an object"),
        (b'{"files": [{"name": []}]}', "expected 'name' to be a text, found a list"),
    ],
    ("bioasq", "allMeSH.json", "allMeSH.json"): [
        (b"", 'expected JSON that begins with {"articles": ['),
        (b"[]", 'expected JSON that begins with {"articles": ['),
        (b'{"articles": {}}', 'expected JSON that begins with {"articles": ['),
        (b'{"articles": [', "article 1: expected a JSON object, but: parse error: premature EOF"),
        (b'{"articles": [[]]}', "article 1: expected a JSON object, found a list"),
        (b'{"articles": [7]}', "article 1: expected a JSON object, found a whole number"),
        (b'{"articles": [{"pmid": "1"', "article 1: expected a JSON object, but: parse error: premature EOF"),
        (b'{"articles": [{"pmid": NaN}]}', "article 1: expected a JSON object, but: lexical error"),
        (b'{"articles": [{}]}', "article 1: expected a field 'meshMajor'"),
        (bioasq((1, "T", 7)), "article 1: expected each entry of 'meshMajor' to be a text"),
        (bioasq((1, 7, "Mice")), "article 1: expected 'title' to be a text, found a whole number"),
        (bioasq(("", "T", "Mice")), "article 1: expected an id, found an empty one"),
        (bioasq((1, "T", " ")), "article 1: expected an id, found an empty one"),
        (bioasq((1, "T", "Mice"))[:-3], "article 2: expected a JSON object, but: parse error: premature EOF"),
        (bioasq((1, "T", "Mice")) + b"x", "expected nothing after the list"),
        (bioasq((1, "T", "Mice")).replace(b"\n]}", b"{}"), "article 2: expected a JSON object, but: parse error"),
        (bioasq((1, "T", "Mice")).replace(b"]}", b'], "more": 1}'), "expected nothing after the list"),
        (
            bioasq((1, "T", "Mice"), (2, "\udc00", "Mice")),
            "article 2: expected a JSON object, but: ",
        ),
        (b'{"articles": [{"a": ' + b"[" * 100_000, "article 1: expected at most 100 levels"),
    ],
    ("mesh-csv", "pubmed.csv", "pubmed.csv"): [
        (b"", "expected a table, found an empty file"),
        (b"Title,mesh\n", "line 1: expected one column 'meshMajor', found Title, mesh"),
        (b"Title,meshMajor,Title\n", "line 1: expected one column 'Title', found"),
        (b"Title,meshMajor\nT,Mice\n", "line 2: expected meshMajor to be a list of texts, found 'Mice'"),
        (b"Title,meshMajor\nT,\"['Mice', 7]\"\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT,\"['Mice'\"\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT,\"['\\ud800']\"\n", "line 2: expected an id without tabs"),
        (b"Title,meshMajor\nT,\"['a' 'b']\"\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT,\"[__import__('os')]\"\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT," + b"[" * 100_000 + b"\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT," + b"-" * 500_000 + b"1\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT," + b"1+" * 500_000 + b"1\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT," + b"9" * 5000 + b"\n", "line 2: expected meshMajor to be a list of texts"),
        (
            b"Title,meshMajor\nT,['" + b"a" * 2**20 + b"']\n",
            "line 2: expected meshMajor to have at most 1,048,576",
        ),
        (b"Title,meshMajor\nT,{[]: 1}\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT,\"('a', 'b')\"\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT,['\\x']\n", "line 2: expected meshMajor to be a list of texts"),
        (b"Title,meshMajor\nT,\"['a\\tb']\"\n", "line 2: expected an id without tabs"),
    ],
    ("clicklog", "clicks.csv", "clicks.csv"): [
        (b"", "expected a table, found an empty file"),
        (b"<html>404</html>\n", "line 1: expected one column 'query', found <html>404</html>"),
        (b"query,document,date\n", "line 1: expected one column 'count', found query, document, date"),
        (b"query,query,document,count,date\n", "line 1: expected one column 'query', found query, query"),
        (CLICKS + b"tea,p1,1\n", "line 3: expected 4 columns, as in line 1, found 3"),
        (CLICKS + b"tea, black,p1,1,2024-01-01\n", "line 3: expected 4 columns, as in line 1, found 5"),
        (CLICKS + b"\xfftea,p1,1,2024-01-01\n", "line 3: expected UTF-8, byte 1 is not"),
        (CLICKS + b'"tea,p1,1,2024-01-01\n', "line 3: expected a row of a table, but: unexpected end of data"),
        (CLICKS + b'"tea"x,p1,1,2024-01-01\n', "line 3: expected a row of a table, but: ',' expected after '\"'"),
        (CLICKS + b"tea,p1,one,2024-01-01\n", "line 3: expected 'count' to be a number of at least 0, found 'one'"),
        (CLICKS + b"tea,p1,-1,2024-01-01\n", "line 3: expected 'count' to be a number of at least 0, found '-1'"),
        (CLICKS + b"tea,p1,nan,2024-01-01\n", "line 3: expected 'count' to be a number of at least 0"),
        (CLICKS + b"tea,p1,1e999,2024-01-01\n", "line 3: expected 'count' to be a number of at least 0"),
        (CLICKS + b"tea,p1,1,31.12.2024\n", "line 3: expected 'date' to begin with a date YYYY-MM-DD"),
        (CLICKS + b"tea,p1,1,2024-02-30\n", "line 3: expected 'date' to begin with a date YYYY-MM-DD"),
        (CLICKS + b"tea,p1,1,\n", "line 3: expected 'date' to begin with a date YYYY-MM-DD, found ''"),
    ],
    ("clicklog", "documents.csv", "documents.csv"): [
        (b"document,body\n", "line 1: expected one column 'text', found document, body"),
        (b"document,text\np1,Tea\np1,Cup\n", "line 3: expected each id once, found 'p1' again"),
        (b"document,text\n,Tea\n", "line 2: expected an id, found an empty one"),
        (b'document,text\n"p\t1",Tea\n', "line 2: expected an id without tabs"),
    ],
    ("clicklog", "clicks.csv.gz", "clicks.csv.gz"): [
        (b"", "expected a gzip file, found it empty"),
        (CLICKS, "expected a whole, readable file, but: Not a gzip"),
        (gzip.compress(CLICKS)[:-8], "expected a whole, readable file, but: Compressed file ended"),
        (gzip.compress(CLICKS) + b"garbage", "expected a whole, readable file, but: Not a gzip"),
        (gzip.compress(CLICKS + BOMB), "expected to unpack to at most 200 times its size"),
    ],
    ("clicklog", "clicks.parquet", "clicks.parquet"): [
        (b"", "expected a whole Parquet file, but: "),
        (CLICKS, "expected a whole Parquet file, but: "),
        (clicks_parquet()[:-20], "expected a whole Parquet file, but: "),
        (parquet(query=["tea"], count=[1]), "expected one column 'document', found query, count"),
        (clicks_parquet(query=[b"tea"]), "row 1: expected 'query' to be a text, found bytes"),
        (clicks_parquet(document=[1.5]), "row 1: expected 'document' to be a text, found float"),
        (clicks_parquet(query=[["tea"]]), "row 1: expected 'query' to be a text, found list"),
        (clicks_parquet(count=[None]), "row 1: expected 'count' to be a number of at least 0, found 'None'"),
        (clicks_parquet(count=[-2.0]), "row 1: expected 'count' to be a number of at least 0, found '-2.0'"),
        (clicks_parquet(date=[20240101]), "row 1: expected 'date' to begin with a date YYYY-MM-DD"),
    ],
    ("msmarco", "collection.tsv", "collection.tsv"): [
        (b"7\tmilk\n8 eggs\n", "line 2: expected an id and a text, separated by a tab"),
        (b"\tmilk\n", "line 1: expected an id, found an empty one"),
        (b"7\t\xff\n", "line 1: expected UTF-8, byte 3 is not"),
        (b"<html>\n", "line 1: expected an id and a text"),
    ],
    ("msmarco", "queries.dev.tsv", "queries.dev.tsv"): [
        (b"2\twho\n\n", "line 2: expected an id and a text, separated by a tab"),
    ],
    ("msmarco", "qrels.dev.tsv", "qrels.dev.tsv"): [
        (b"1\t0\t1\t" + b"9" * 5000 + b"\n", "line 1: expected query, 0, passage and a whole number"),
        (b"2\t8\n", "line 1: expected query, 0, passage and a whole number"),
        (b"2\t0\t8\t1\n2\t0\t7\tyes\n", "line 2: expected query, 0, passage and a whole number"),
        (b"2\t0\t8\t1\n5\t0\t8\t1\n", "line 2: expected a query of queries.dev.tsv, found '5'"),
    ],
    ("msmarco", "qrels.dev.tsv.gz", "qrels.dev.tsv"): [
        (b"", "expected qrels.dev.tsv or qrels.dev.tsv.gz, found both"),
    ],
    ("medline", "a.xml.gz.md5", "a.xml.gz.md5"): [
        (b"<html>404</html>", "expected one line 'MD5(<file>)= <32 hex digits>'"),
    ],
}


@pytest.mark.parametrize(
    ("format", "changed", "named", "data", "message"),
    [(*where, data, message) for where, rows in CASES.items() for data, message in rows],
    ids=[f"{named}: {message}" for (_, _, named), rows in CASES.items() for _, message in rows],
)
def test_bad_bytes_end_in_one_line(prepare, tmp_path, format, changed, named, data, message):
    raw = write_files(tmp_path / "raw", RAW_FILES[format] | {changed: data})
    assert refusal(prepare, format, raw).startswith(f"{raw}/{named}: {message}")
    assert nothing_left(tmp_path)


def refusal(prepare, format, path, **options) -> str:
    """The message that ends the preparation of ``path``."""
    with pytest.raises(DataError) as error:
        prepare(format, path, **options)
    message = str(error.value)
    assert message.isprintable()  # one line, and nothing that moves a terminal's cursor
    assert "expected" in message
    return message


def nothing_left(tmp_path) -> bool:
    """Neither a prepared folder nor a temporary one."""
    return not any((tmp_path / "out").glob("*"))


def test_the_table_is_not_cut_short():
    assert sum(map(len, CASES.values())) >= 150


def test_a_file_that_does_not_fit_its_md5_is_refused(prepare, tmp_path):
    wrong = {"b.xml.gz.md5": b"MD5(b.xml.gz)= " + b"0" * 32}
    raw = write_files(tmp_path / "raw", RAW_FILES["medline"] | wrong)
    message = refusal(prepare, "medline", raw)
    assert message.startswith(f"{raw}/b.xml.gz: expected MD5 {'0' * 32}")
    assert nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("beir", "expected a file corpus.jsonl there"),
        ("bioasq", "expected one .json of BioASQ here, found none"),
        ("mesh-csv", "expected one .csv, .tsv or .parquet here, found none"),
        ("csv", "expected one .csv, .tsv or .parquet here, found none"),
        ("eurlex", "expected a file eurovoc_concepts.jsonl there"),
        ("eurlex-json", "expected a file EURLEX57K.json there"),
        ("medline", "expected a folder with *.xml.gz files of MEDLINE here"),
        ("xc", "expected a file lbl.json.gz there"),
        ("msmarco", "expected a file collection.tsv there"),
        ("clicklog", "expected one click log (.csv, .tsv or .parquet) here, found none"),
    ],
)
def test_an_empty_folder_is_refused(prepare, tmp_path, format, expected):
    (tmp_path / "raw").mkdir()
    assert refusal(prepare, format, tmp_path / "raw").startswith(f"{tmp_path}/raw: {expected}")
    assert nothing_left(tmp_path)


@pytest.mark.parametrize("format", FORMATS)
def test_a_path_that_leads_nowhere_is_refused(prepare, tmp_path, format):
    assert refusal(prepare, format, tmp_path / "no").startswith(f"{tmp_path}/no: expected a ")


@pytest.mark.parametrize("format", FORMATS)
def test_every_file_of_a_raw_set_is_needed(prepare, tmp_path, format):
    optional = ("filter_labels_train.txt", "filter_labels_test.txt", "documents.csv")
    for number, missing in enumerate(set(RAW_FILES[format]) - set(optional)):
        files = {name: data for name, data in RAW_FILES[format].items() if name != missing}
        refusal(prepare, format, write_files(tmp_path / f"raw{number}", files))
    assert nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"test_from": "2024-02-30"}, "config: sources: expected 'test_from' to begin with a date"),
        ({"test_from": "2024-01-05", "dev_from": "2024-01-05"}, "expected days for train, dev and test"),
        (
            {"columns": {"query": "q"}},
            "/clicks.csv: line 1: expected one column 'q', found query, document, count, date",
        ),
        ({"test_from": "2025-01-01"}, "found 2024-01-01 to 2024-01-14, dev from 2024-12-01, test from 2025-01-01"),
    ],
)
def test_settings_that_do_not_fit_the_log_are_refused(prepare, tmp_path, options, expected):
    raw = write_files(tmp_path / "raw", RAW_FILES["clicklog"])
    assert expected in refusal(prepare, "clicklog", raw, **options)
    assert nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("qrels.train.tsv", b"1\t0\t9\t1\n", "query '1': expected documents of the corpus, found '9'"),
        ("collection.tsv", b"7\ta\n7\tb\n8\tc\n", "document '7': expected each id once, found '7' again"),
        ("queries.train.tsv", b"1\ta\n1\tb\n9\tc\n", "query '1': expected each id once, found '1' again"),
    ],
)
def test_files_of_msmarco_that_do_not_fit_each_other(prepare, tmp_path, name, data, expected):
    raw = write_files(tmp_path / "raw", RAW_FILES["msmarco"] | {name: data})
    assert expected in refusal(prepare, "msmarco", raw)
    assert nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.tar.gz": tar(RAW_FILES["msmarco"])[:-30]}, "a.tar.gz: expected a whole, readable file, but: "),
        ({"a.tar.gz": b"no tar"}, "a.tar.gz: expected a whole, readable file, but: Not a gzipped file"),
        ({"a.tar.gz": tar({"b/x.tsv": b"", "c/x.tsv": b""})}, "a.tar.gz/c/x.tsv: expected each file once in"),
        ({"a.tar.gz": tar({"x": bytes(2**25)})}, "a.tar.gz/x: expected to unpack to at most 200 times its size"),
        ({"a.tar.gz": tar({}), "b.tgz": tar({})}, "raw: expected one .tar.gz there, found a.tar.gz, b.tgz"),
        ({"a.tar.gz": tar({"../collection.tsv": b"7 a\n"})}, "collection.tsv: line 1: expected an id and a text"),
        ({"a.tar.gz": tar({"x.tsv": b""})}, "raw: expected a file collection.tsv there"),
    ],
)  # fmt: skip
def test_bad_tars_of_msmarco_are_refused(prepare, tmp_path, files, expected):
    assert expected in refusal(prepare, "msmarco", write_files(tmp_path / "raw", files))
    assert nothing_left(tmp_path)


def test_two_zips_with_one_file_are_refused(prepare, tmp_path):
    raw = write_files(tmp_path / "raw", {"a.zip": zipped({"lbl.json.gz": b"a"}), "b.zip": zipped({"lbl.json.gz": b""})})
    message = refusal(prepare, "xc", raw)
    assert message == f"{raw}: expected one lbl.json.gz here, found a.zip/lbl.json.gz, b.zip/lbl.json.gz, which differ"


def test_a_zip_beside_the_same_files_is_refused_where_they_differ(prepare, tmp_path):
    raw = write_files(tmp_path / "raw", RAW_FILES["eurlex"] | {"dataset.zip": zipped({"dev.jsonl": b"{}\n"})})
    message = refusal(prepare, "eurlex", raw)
    assert message == f"{raw}: expected one dev.jsonl here, found dev.jsonl, dataset.zip/dev.jsonl, which differ"


def test_two_files_of_one_name_are_refused(prepare, tmp_path):
    raw = write_files(tmp_path / "raw", RAW_FILES["xc"] | {"old/trn.json.gz": GZIP})
    message = refusal(prepare, "xc", raw)
    assert message == f"{raw}: expected one trn.json.gz here, found old/trn.json.gz, trn.json.gz, which differ"


def test_an_endless_line_is_refused(prepare, tmp_path, monkeypatch):
    monkeypatch.setattr(text, "MAX_LINE", 1000)
    long = {"dev.jsonl": GOOD_LAW + jsonl(law("3Z", "x" * 1000, "1"))}
    raw = write_files(tmp_path / "raw", RAW_FILES["eurlex"] | long)
    message = refusal(prepare, "eurlex", raw)
    assert message == f"{raw}/dev.jsonl: line 2: expected at most 1000 bytes a line"


def test_an_endless_article_is_refused(prepare, tmp_path, monkeypatch):
    monkeypatch.setattr(bioasq_format, "MAX_LINE", 100_000)
    articles = bioasq(*((number, "x" * 90_000, "Mice") for number in range(5)), (5, "x" * 300_000, "Mice"))
    raw = write_files(tmp_path / "raw", {"a.json": articles})
    assert refusal(prepare, "bioasq", raw) == f"{raw}/a.json: article 6: expected at most 100000 bytes"


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("beir", "corpus.jsonl"),
        ("beir", "queries.jsonl"),
        ("beir", "qrels/train.tsv"),
        ("bioasq", "allMeSH.json"),
        ("csv", "pairs.csv"),
        ("eurlex", "train.jsonl"),
        ("eurlex-json", "dataset/dev/x.json"),
        ("mesh-csv", "pubmed.csv"),
        ("xc", "filter_labels_train.txt"),
    ],
)
def test_a_single_line_of_100_mb_is_refused(prepare, tmp_path, format, name):
    raw = write_files(tmp_path / "raw", RAW_FILES[format])
    with open(raw / name, "wb") as file:
        file.truncate(100 * 2**20)  # all NUL; on disk it takes no room
    assert refusal(prepare, format, raw).startswith(f"{raw}/{name}: ")
    assert nothing_left(tmp_path)


def test_control_characters_of_the_data_do_not_reach_the_terminal(prepare, tmp_path):
    evil = {"dev.jsonl": jsonl(law("3Z\x1b[2J\u2028\n", "T", "1"))}
    raw = write_files(tmp_path / "raw", RAW_FILES["eurlex"] | evil)
    assert r"\x1b[2J\u2028\n" in refusal(prepare, "eurlex", raw)
