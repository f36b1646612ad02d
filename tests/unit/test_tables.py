"""Tables in the forms people have them: delimiters, quotes, preambles, headers, labels, Parquet; all read correctly."""

import datetime
import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from raw_sets import write_files, write_zip

from mvg.commands.check import check
from mvg.datasets.records import Document, Fact, Query
from mvg.formats import FORMATS
from mvg.formats.guess import guess_format
from mvg.io.errors import DataError
from mvg.io.members import loose
from mvg.io.tables import open_table

WORKFLOW = Path(__file__).parents[2] / "workflow"


def read(format, path, **options):
    """(pairs of texts, texts of documents, what was dropped, facts)."""
    dropped = Counter()
    records = list(FORMATS[format].read(path, dropped, **options))
    titles = {record.id: record.title for record in records if isinstance(record, Document)}
    queries = [record for record in records if isinstance(record, Query)]
    pairs = sorted((query.text, titles[document]) for query in queries for document in query.relevant)
    facts = {record.name: record.value for record in records if isinstance(record, Fact)}
    return pairs, sorted(titles.values()), dict(dropped), facts


def pairs_of(folder, text, name="pairs.csv", **options):
    return read("csv", write_files(folder, {name: text.encode()}) / name, **options)


PAIRS = [("blue hat", "Cap"), ("red shoe", "Sneaker")]


# Delimiters

NAMES = ["Abel, Ada", "Baker, Bo", "Curie, Marie"]


@pytest.mark.parametrize("name", ["people.tsv", "people.TSV", "people.csv", "people.txt"])
def test_a_comma_in_every_row_does_not_outweigh_the_tab(tmp_path, name):
    text = "".join(f"{person}\tscientist\n" for person in NAMES)
    pairs, documents, _, facts = pairs_of(tmp_path, text, name)
    assert pairs == [(person, "scientist") for person in NAMES] and documents == ["scientist"]
    assert facts["table"] == "separated by tab"


@pytest.mark.parametrize("name", ["people.tsv", "people.csv"])
def test_a_comma_in_the_first_row_alone_does_not_either(tmp_path, name):
    text = "shoes, red\tSneaker\n" + "".join(f"hat {number}\tCap\n" for number in range(9))
    pairs, documents, _, _ = pairs_of(tmp_path, text, name)
    assert len(pairs) == 10 and ("shoes, red", "Sneaker") in pairs and documents == ["Cap", "Sneaker"]


def test_semicolons_separate_where_commas_are_in_the_texts(tmp_path):
    pairs, _, _, facts = pairs_of(tmp_path, "shoes, red, new;Sneaker\nhats;Cap, blue\nbags;Sack\n")
    assert pairs == [("bags", "Sack"), ("hats", "Cap, blue"), ("shoes, red, new", "Sneaker")]
    assert facts["table"] == "separated by semicolon"


def test_a_row_that_does_not_fit_is_named(tmp_path):
    with pytest.raises(DataError, match=r"pairs\.csv: line 4: expected 2 columns, as in line 2, found 3"):
        pairs_of(tmp_path, "\nblue hat,Cap\nred shoe,Sneaker\nbag, black,Sack\n")


# Quotes


def test_a_quote_between_tabs_is_text(tmp_path):
    rows = ['red shoes\t"page A', "blue shoes\tpage C", 'boots\tpage B"', '24" screen\t5" cable']
    pairs, *_ = pairs_of(tmp_path, "\n".join(rows), "pairs.tsv")
    assert pairs == sorted(tuple(row.split("\t")) for row in rows)


def test_a_cell_wholly_in_quotes_is_what_a_spreadsheet_writes(tmp_path):
    pairs, *_ = pairs_of(tmp_path, 'query\tdocument\n"a ""red"" shoe"\t"Sneaker"\n', "pairs.tsv")
    assert pairs == [('a "red" shoe', "Sneaker")]


def test_a_row_whose_quote_is_not_closed_is_named_by_its_first_line(tmp_path):
    with pytest.raises(DataError, match=r"line 2: expected a row of a table, but: unexpected end of data"):
        pairs_of(tmp_path, 'blue hat,Cap\nred shoe,"Sneaker\nbag,Sack\nbelt,Strap\n')


CELL = st.text(st.characters(codec="utf-8", exclude_characters='\t\r\n"\ufeff', exclude_categories=["Cc"]), min_size=1)


@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5))
def test_any_text_between_tabs_comes_back(tmp_path_factory, rows):
    rows = [("query", "document"), *rows]
    path = tmp_path_factory.mktemp("any") / "any.tsv"
    path.write_bytes("".join(f"{query}\t{document}\n" for query, document in rows).encode())
    with open_table(loose(path)) as table:
        found = [tuple(values) for _, values in table.rows([0, 1], has_header=False)]
    assert found == [row for row in rows if "".join(row).strip()]


# Before the header


@pytest.mark.parametrize(
    "head",
    ["sep=;\r\n", "\ufeffsep=;\n", "SEP=;\n", '"sep=;"\n', "#TYPE System.Data.DataRow\r\n", "\n\n", "\ufeff"],
)
def test_what_programs_write_before_the_header_is_no_row(tmp_path, head):
    text = f"{head}query;document\r\nred shoe;Sneaker\r\nblue hat;Cap\r\n"
    assert pairs_of(tmp_path, text)[:2] == (PAIRS, ["Cap", "Sneaker"])


def test_the_separator_that_excel_names_goes_before_all_else(tmp_path):
    pairs, _, _, facts = pairs_of(tmp_path, "sep=|\nred, shoe;s|Sneaker\nblue, hat;s|Cap\n")
    assert pairs == [("blue, hat;s", "Cap"), ("red, shoe;s", "Sneaker")] and facts["table"] == "separated by '|'"


# Headers


@pytest.mark.parametrize("header", ["Query,Document", '"query","document"', " search term , Product ", "Q,answer"])
def test_usual_names_are_a_header(tmp_path, header):
    assert pairs_of(tmp_path, f"{header}\nred shoe,Sneaker\nblue hat,Cap\n")[0] == PAIRS


def test_other_names_are_a_row(tmp_path):
    assert pairs_of(tmp_path, "red shoe,Sneaker\nblue hat,Cap\n")[0] == PAIRS


def test_names_in_the_config_are_taken_as_they_are(tmp_path):
    text = "query,Suchwort,document,Artikel\nx,red shoe,y,Sneaker\nx,blue hat,y,Cap\n"
    assert pairs_of(tmp_path, text, columns={"query": "Suchwort", "document": "Artikel"})[0] == PAIRS
    with pytest.raises(DataError, match="line 1: expected one column 'suchwort', found query, Suchwort"):
        pairs_of(tmp_path, text, columns={"query": "suchwort", "document": "Artikel"})


# Relevance


@pytest.mark.parametrize("name", ["relevance", "label", "Relevant", "score", "clicks"])
def test_a_row_of_relevance_0_is_no_pair(tmp_path, name):
    text = f"query,document,{name}\nred shoe,Sneaker,1\nred shoe,Cap,0\nblue hat,Cap,0.5\nblue hat,Sneaker,-1\n"
    pairs, _, dropped, _ = pairs_of(tmp_path, text)
    assert pairs == PAIRS and dropped == {"rows_of_relevance_0_or_less": 2}


def test_true_and_false_say_it_too(tmp_path):
    text = "query,document,relevant\nred shoe,Sneaker,True\nred shoe,Cap,false\nblue hat,Cap,TRUE\n"
    assert pairs_of(tmp_path, text)[0] == PAIRS


@pytest.mark.parametrize("value", ["exact", "", "nan"])
def test_what_is_no_number_is_refused(tmp_path, value):
    with pytest.raises(DataError, match=r"line 2: expected 'label' to be a number, 0 or less for no pair, found"):
        pairs_of(tmp_path, f"query,document,label\nred shoe,Sneaker,{value}\n")


def test_a_column_of_relevance_may_be_named(tmp_path):
    text = "query,document,ok\nred shoe,Sneaker,1\nred shoe,Cap,0\nblue hat,Cap,1\n"
    columns = {"query": "query", "document": "document", "relevance": "ok"}
    assert pairs_of(tmp_path, text, columns=columns)[0] == PAIRS
    assert len(pairs_of(tmp_path, text)[0]) == 3


# One text, written in two ways

CAFE, CAFE_APART = "caf\u00e9 cr\u00e8me", "cafe\u0301 cre\u0300me"


def test_letters_composed_in_another_way_are_the_same_text(tmp_path):
    rows = [f"{CAFE} {number},R\u00e9sum\u00e9\n{CAFE_APART}  {number},Re\u0301sume\u0301\n" for number in range(300)]
    records = list(FORMATS["csv"].read(write_files(tmp_path, {"a.csv": "".join(rows).encode()}), Counter()))
    queries = [record for record in records if isinstance(record, Query)]
    assert len(queries) == 300 and sum(isinstance(record, Document) for record in records) == 1
    assert queries[7].text == f"{CAFE} 7" and len(set(queries[7].relevant)) == 1


def test_all_spellings_of_a_query_are_in_one_split(tmp_path):
    rows = [f"{spelling} {number},d" for number in range(300) for spelling in ("tea", "Tea", "TEA", "\uff34ea")]
    path = write_files(tmp_path, {"a.csv": "\n".join(rows).encode()})
    splits = {}
    for query in FORMATS["csv"].read(path, Counter()):
        if isinstance(query, Query):
            splits.setdefault(query.text.split()[-1], set()).add(query.split)
    assert len(splits) == 300 and all(len(found) == 1 for found in splits.values())
    assert {"train"} in splits.values() and {"test"} in splits.values() and {"dev"} in splits.values()


# The guessed format of a table

LOG = {"query": ["tea", "Tea", "cup 7"], "document": ["p1", "p2", "p2"], "count": ["3", "1", "4"]}
LOG["date"] = ["2024-01-01", "2024-01-12", "2024-01-14"]


def csv_of(columns, table=LOG, delimiter=",", quote="") -> str:
    rows = [columns, *zip(*(table[column.lower()] for column in columns), strict=True)]
    return "".join(delimiter.join(f"{quote}{cell}{quote}" for cell in row) + "\n" for row in rows)


@pytest.mark.parametrize(
    "text",
    [
        csv_of(["query", "document", "count", "date"]),
        csv_of(["date", "query", "document", "count"]),
        csv_of(["count", "date", "document", "query"], quote='"'),
        "\ufeff" + csv_of(["query", "document", "count", "date"]),
        csv_of(["query", "document", "count", "date"], delimiter=";"),
        csv_of(["query", "document", "count", "date"], delimiter="\t"),
        csv_of(["Query", "Document", "Count", "Date"]),
        "sep=;\n" + csv_of(["query", "document", "count", "date"], delimiter=";"),
    ],
)
def test_a_table_with_counts_is_a_log_however_it_is_written(tmp_path, text):
    path = write_files(tmp_path, {"export.csv": text.encode()}) / "export.csv"
    assert guess_format(path) == "clicklog"
    records = [record for record in FORMATS["clicklog"].read(path, Counter()) if isinstance(record, Query)]
    assert [(query.text, query.split, query.weight) for query in records] == [
        ("tea", "train", 3), ("Tea", "dev", 1), ("cup 7", "test", 4),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("clicks2.csv", "query,document\na,b\n", "csv"),
        ("clicks.csv", "q1,sku,n\na,b,1\n", "clicklog"),  # its name says so, its columns nothing
        ("log.CSV", "query,document,clicks\na,b,1\n", "clicklog"),
        ("PAIRS.CSV", "a,b\n", "csv"),
        ("papers.csv", "Title,meshMajor\na,[]\n", "mesh-csv"),
        ("papers.csv", '"meshMajor";"Title"\n[];a\n', "mesh-csv"),
        ("counts.csv", "a query about the document count,b\n", "csv"),
    ],
)
def test_columns_say_what_a_table_is(tmp_path, name, text, format):
    assert guess_format(write_files(tmp_path, {name: text.encode()}) / name) == format
    assert guess_format(tmp_path) == format
    assert guess_format(write_zip(tmp_path / "packed.zip", {name: text.encode()})) == format


def test_files_in_capitals_are_read(tmp_path):
    assert read("csv", write_files(tmp_path / "a", {"PAIRS.CSV": b"red shoe,Sneaker\nblue hat,Cap\n"}))[0] == PAIRS
    packed = gzip.compress(b"red shoe\tSneaker\nblue hat\tCap\n")
    assert read("csv", write_files(tmp_path / "b", {"PAIRS.TSV.GZ": packed}))[0] == PAIRS
    assert (
        read("csv", write_zip(tmp_path / "c/PAIRS.ZIP", {"PAIRS.CSV": b"red shoe,Sneaker\nblue hat,Cap\n"}))[0] == PAIRS
    )


# Parquet


def test_pairs_as_parquet_are_read_and_parts_are_one_set(tmp_path):
    table = pyarrow.table({"Query": ["red shoe", None, "blue hat"], "Document": ["Sneaker", "x", "Cap"]})
    parquet.write_table(table, tmp_path / "pairs.parquet")
    pairs, documents, dropped, facts = read("csv", tmp_path / "pairs.parquet")
    assert (pairs, documents, facts) == (PAIRS, ["Cap", "Sneaker"], {"table": "Parquet"})
    assert dropped == {"rows_without_query_or_document": 1}
    parts = tmp_path / "parts"
    parts.mkdir()
    for number in range(3):
        parquet.write_table(table.slice(number, 1), parts / f"part-0000{number}.snappy.parquet")
    (parts / "_SUCCESS").touch()
    assert guess_format(parts) == "csv" and read("csv", parts)[0] == PAIRS
    files = {f"log.parquet/{file.name}": file.read_bytes() for file in parts.glob("*.parquet")}
    assert read("csv", write_zip(tmp_path / "packed.zip", files))[0] == PAIRS


def test_a_log_in_parts_is_one_log(tmp_path):
    for number in range(3):
        part = pyarrow.table({name: values[number : number + 1] for name, values in LOG.items()})
        parquet.write_table(part, tmp_path / f"part-{number}.parquet")
    assert guess_format(tmp_path) == "clicklog"
    queries = [record for record in FORMATS["clicklog"].read(tmp_path, Counter()) if isinstance(record, Query)]
    assert [(query.text, query.split) for query in queries] == [("tea", "train"), ("Tea", "dev"), ("cup 7", "test")]


TOKYO = datetime.timezone(datetime.timedelta(hours=9))
TYPES = [
    *(pyarrow.timestamp(unit) for unit in ("s", "us", "ns")),
    pyarrow.timestamp("ns", "UTC"),
    pyarrow.timestamp("ms", "Asia/Tokyo"),
    pyarrow.timestamp("ns", "+09:00"),
    pyarrow.date32(),
    pyarrow.string(),
]


def dates(type):
    """The days of the log in a type; as times, half an hour before midnight in the column's time zone."""
    days = [datetime.date.fromisoformat(day) for day in LOG["date"]]
    if not pyarrow.types.is_timestamp(type):
        return pyarrow.array(list(map(str, days))).cast(type)
    zone = {None: None, "UTC": datetime.UTC}.get(type.tz, TOKYO)
    times = [datetime.datetime(day.year, day.month, day.day, 23, 30, tzinfo=zone) for day in days]
    array = pyarrow.array(times, pyarrow.timestamp("us", type.tz)).cast(type)
    if type.unit == "ns":  # finer than Python's own times
        array = pyarrow.array([value + 7 for value in array.cast("int64").to_pylist()]).cast(type)
    return array


def test_days_of_any_type_and_time_zone_without_pandas(tmp_path):
    for number, type in enumerate(TYPES):
        parquet.write_table(pyarrow.table(LOG | {"date": dates(type)}), tmp_path / f"{number}.parquet")
    absent = write_files(tmp_path / "absent", dict.fromkeys(["pandas.py", "pytz.py"], b"raise ImportError"))
    code = (
        "import sys, collections; sys.path.insert(0, sys.argv[1])\n"
        "from mvg.formats import FORMATS\n"
        "for path in sys.argv[2:]:\n"
        "    records = FORMATS['clicklog'].read(path, collections.Counter())\n"
        "    print(*(record.split for record in records if hasattr(record, 'split')))"
    )
    files = [tmp_path / f"{number}.parquet" for number in range(len(TYPES))]
    done = subprocess.run([sys.executable, "-c", code, absent, *files], cwd=WORKFLOW, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["train dev test"] * len(TYPES), done.stderr


# Logs


def test_the_dates_of_the_split_are_kept(tmp_path):
    rows = [f"q{day},d,1,2024-01-{day:02d}\n" for day in range(1, 15)]
    path = write_files(tmp_path, {"clicks.csv": ("query,document,count,date\n" + "".join(rows)).encode()})
    assert read("clicklog", path)[3] == {
        "table": "separated by comma", "dev_from": "2024-01-12", "test_from": "2024-01-13",
    }  # fmt: skip
    assert read("clicklog", path, test_from="2024-01-10")[3]["test_from"] == "2024-01-10"


def test_a_missing_date_says_how_to_do_without(tmp_path):
    path = write_files(tmp_path, {"log.csv": b"query,document,count\ntea,p1,1\n"}) / "log.csv"
    with pytest.raises(DataError) as error:
        read("clicklog", path)
    assert str(error.value) == (
        f"{path}: line 1: expected one column 'date', found query, document, count: "
        "name yours under columns, or with --date, or set split: random (--split random)"
    )


def test_a_log_in_a_zip_is_read(tmp_path):
    files = {"log/clicks.csv": csv_of(["query", "document", "count", "date"]).encode()}
    files["log/documents.csv"] = b"document,text\np1,Green tea\np2,A cup\n"
    folder = write_files(tmp_path / "loose", files)
    packed = write_zip(tmp_path / "log.zip", files)
    both = [list(FORMATS["clicklog"].read(path, Counter())) for path in (folder / "log", packed)]
    assert both[0] == both[1] and Document("p1", "", "Green tea") in both[0]
    assert guess_format(packed) == guess_format(folder) == "clicklog"


def test_tables_that_are_neither_clicks_nor_documents_are_refused(tmp_path):
    write_files(tmp_path, {"a.csv": b"query,document,count\n", "b.csv": b"query,document,count\n"})
    with pytest.raises(DataError, match=r"expected tables clicks\* and maybe documents\*, found a\.csv, b\.csv"):
        read("clicklog", tmp_path)


def test_check_says_how_a_table_was_read(tmp_path):
    rows = "".join(f"q{number};d{number % 5}\n" for number in range(100))
    path = write_files(tmp_path, {"pairs.csv": rows.encode()}) / "pairs.csv"
    assert "  table: separated by semicolon\n" in check(path)
