# The Multi-View Geometric Index: from raw files to the paper's tables and figures.
# Each file below is one stage, in the order in which data flows.
from snakemake.utils import min_version

min_version("9.27")


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/resources.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/lexical.smk"
include: "workflow/rules/encoders.smk"
include: "workflow/rules/multiview.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/colbert.smk"
include: "workflow/rules/shards.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/sweeps.smk"
include: "workflow/rules/reporting.smk"
include: "workflow/rules/page.smk"


# The targets of a plain `snakemake`.
rule all:
    default_target: True
    input:
        rules.benchmark_table.output,
        VERDICTS,
        [getattr(rules, name).output for name in config["experiments"]],
        rules.provenance.output,
        rules.page.output,


# `snakemake trec`: runs and qrels for trec_eval, ir_measures and ranx.
rule trec:
    input:
        expand("<results>/{dataset}/trec/qrels.test.txt", dataset=plan.datasets),
        expand("<results>/{dataset}/trec/{method}.run", dataset=plan.datasets, method=plan.methods()),


# `snakemake index`: a folder a dataset and encoder, for mvg.load, mvg search and mvg export.
rule index:
    input:
        expand(rules.make_index.output, dataset=plan.datasets, encoder=plan.bi_encoders()),
