# Where encoding, clustering and search run in several shards: their parts -> the whole, in order.


if config["shards"] > 1:

    rule gather_vectors:
        input:
            documents=parts("results/{run}/{dataset}/{encoder}/documents.npy"),
            queries=parts("results/{run}/{dataset}/{encoder}/queries.npy"),
        output:
            documents="results/{run}/{dataset}/{encoder}/documents.npy",
            queries="results/{run}/{dataset}/{encoder}/queries.npy",
        log:
            "results/{run}/logs/{dataset}/{encoder}/gather_vectors.log",
        benchmark:
            "results/{run}/benchmarks/{dataset}/{encoder}/gather_vectors.tsv"
        wildcard_constraints:
            encoder=of_kind("dssm", "pretrained", "sbert"),
        conda:
            "../../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=megabytes(),
            runtime=30,
        message:
            "Gather the vectors of {wildcards.encoder} on {wildcards.dataset}"
        script:
            "../scripts/gather.py"

    use rule gather_vectors as gather_tokens with:
        input:
            tokens=parts("results/{run}/{dataset}/{encoder}/tokens.npy"),
            starts=parts("results/{run}/{dataset}/{encoder}/starts.npy"),
            train=parts("results/{run}/{dataset}/{encoder}/query_tokens.train.npy"),
            train_real=parts("results/{run}/{dataset}/{encoder}/query_tokens.train.real.npy"),
            dev=parts("results/{run}/{dataset}/{encoder}/query_tokens.dev.npy"),
            dev_real=parts("results/{run}/{dataset}/{encoder}/query_tokens.dev.real.npy"),
            test=parts("results/{run}/{dataset}/{encoder}/query_tokens.test.npy"),
            test_real=parts("results/{run}/{dataset}/{encoder}/query_tokens.test.real.npy"),
        output:
            tokens="results/{run}/{dataset}/{encoder}/tokens.npy",
            starts="results/{run}/{dataset}/{encoder}/starts.npy",
            train="results/{run}/{dataset}/{encoder}/query_tokens.train.npy",
            train_real="results/{run}/{dataset}/{encoder}/query_tokens.train.real.npy",
            dev="results/{run}/{dataset}/{encoder}/query_tokens.dev.npy",
            dev_real="results/{run}/{dataset}/{encoder}/query_tokens.dev.real.npy",
            test="results/{run}/{dataset}/{encoder}/query_tokens.test.npy",
            test_real="results/{run}/{dataset}/{encoder}/query_tokens.test.real.npy",
        log:
            "results/{run}/logs/{dataset}/{encoder}/gather_tokens.log",
        benchmark:
            "results/{run}/benchmarks/{dataset}/{encoder}/gather_tokens.tsv"
        wildcard_constraints:
            encoder=of_kind("colbert"),
        message:
            "Gather the token vectors of {wildcards.encoder} on {wildcards.dataset}"

    use rule gather_vectors as gather_views with:
        input:
            vectors=parts("results/{run}/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/vectors.npy"),
            owner=parts("results/{run}/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/owner.npy"),
        output:
            vectors="results/{run}/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/vectors.npy",
            owner="results/{run}/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/owner.npy",
        log:
            "results/{run}/logs/{dataset}/{encoder}/gather_{views}.beta{beta}-m{m_avg}.log",
        benchmark:
            "results/{run}/benchmarks/{dataset}/{encoder}/gather_{views}.beta{beta}-m{m_avg}.tsv"
        wildcard_constraints:
            views="mvg|token_views",
        message:
            "Gather the behavioural vectors over {wildcards.encoder} on {wildcards.dataset}"

    use rule gather_vectors as gather_ranking with:
        input:
            ranking=parts("results/{run}/{dataset}/runs/{wrapper}{encoder}.npz"),
        output:
            ranking="results/{run}/{dataset}/runs/{wrapper}{encoder}.npz",
        log:
            "results/{run}/logs/{dataset}/{encoder}/gather_ranking.{wrapper}{encoder}.log",
        benchmark:
            "results/{run}/benchmarks/{dataset}/{encoder}/gather_ranking.{wrapper}{encoder}.tsv"
        wildcard_constraints:
            encoder=of_kind(*ONE_VECTOR, "colbert"),
        message:
            "Gather the ranking of {wildcards.wrapper}{wildcards.encoder} on {wildcards.dataset}"
