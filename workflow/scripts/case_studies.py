from mvg.datasets.pairs import read_split
from mvg.datasets.reading import load_stats, load_texts
from mvg.io.files import load_array
from mvg.job import job
from mvg.reporting.case_studies import case_study_numbers, example_table, write_case_studies, write_examples

with job(snakemake.log[0]) as log:
    given, dataset, seed = snakemake.input, snakemake.params.dataset, snakemake.params.seed
    documents, queries = load_array(given.documents), load_array(given.queries)
    behavioural = load_array(given.vectors), load_array(given.owner)
    titles, texts = load_texts(given.corpus)[1], load_texts(given.texts)[1]
    train, test = read_split(given.train), read_split(given.test)
    facts = {dataset: load_stats(given.stats)}
    numbers = case_study_numbers(dataset, documents, queries, train, test, behavioural, titles, seed)
    write_case_studies(numbers, facts, snakemake.output.csv.removesuffix(".csv"))
    table = example_table(
        dataset, snakemake.params.encoder, documents, queries, train, behavioural, texts, titles, seed
    )
    write_examples(table, facts, snakemake.output.examples.removesuffix(".csv"))
    log(f"{len(numbers)} points, {len(table) // 2} examples")
