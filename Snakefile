# The Multi-View Geometric Index: from raw files to the paper's tables and figures.
# A table of contents: each file below is one stage, in the order in which data flows.


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/lexical.smk"
include: "workflow/rules/encoders.smk"
include: "workflow/rules/multiview.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/colbert.smk"
include: "workflow/rules/shards.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/click_log.smk"
include: "workflow/rules/flat_popularity.smk"
include: "workflow/rules/sweeps.smk"
include: "workflow/rules/analyses.smk"
include: "workflow/rules/reporting.smk"


# What a plain `snakemake` makes.
rule all:
    default_target: True
    input:
        tables(),
        [experiment(name) for name in config["experiments"]],
        f"results/{RUN}/provenance.json",


# `snakemake popularity` and so on: one experiment of the paper alone.
for name in dict.fromkeys(FIGURES + TABLES):

    rule:
        name:
            name
        input:
            experiment(name),


# `snakemake trec`: runs and qrels for trec_eval, ir_measures and ranx.
rule trec:
    input:
        trec_files(),
