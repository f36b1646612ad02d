# Where encoding, clustering and search run in several shards: their parts -> the whole, in order.


if config["shards"] > 1:

    rule gather_vectors:
        input:
            documents=parts("<results>/{dataset}/{encoder}/documents.npy"),
            queries=parts("<results>/{dataset}/{encoder}/queries.npy"),
        output:
            documents="<results>/{dataset}/{encoder}/documents.npy",
            queries="<results>/{dataset}/{encoder}/queries.npy",
        log:
            "<logs>/{dataset}/{encoder}/gather_vectors.log",
        benchmark:
            "<benchmarks>/{dataset}/{encoder}/gather_vectors.tsv"
        wildcard_constraints:
            encoder=of_kind("dssm", "pretrained", "sbert"),
        conda:
            "../../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=megabytes(),
            runtime=30,
        params:
            behind=behind_vectors,
        message:
            "Gather the vectors of {wildcards.encoder} on {wildcards.dataset}"
        script:
            "../scripts/gather.py"

    use rule gather_vectors as gather_tokens with:
        input:
            tokens=parts("<results>/{dataset}/{encoder}/tokens.npy"),
            starts=parts("<results>/{dataset}/{encoder}/starts.npy"),
            train=parts("<results>/{dataset}/{encoder}/query_tokens.train.npy"),
            train_real=parts("<results>/{dataset}/{encoder}/query_tokens.train.real.npy"),
            dev=parts("<results>/{dataset}/{encoder}/query_tokens.dev.npy"),
            dev_real=parts("<results>/{dataset}/{encoder}/query_tokens.dev.real.npy"),
            test=parts("<results>/{dataset}/{encoder}/query_tokens.test.npy"),
            test_real=parts("<results>/{dataset}/{encoder}/query_tokens.test.real.npy"),
        output:
            tokens="<results>/{dataset}/{encoder}/tokens.npy",
            starts="<results>/{dataset}/{encoder}/starts.npy",
            train="<results>/{dataset}/{encoder}/query_tokens.train.npy",
            train_real="<results>/{dataset}/{encoder}/query_tokens.train.real.npy",
            dev="<results>/{dataset}/{encoder}/query_tokens.dev.npy",
            dev_real="<results>/{dataset}/{encoder}/query_tokens.dev.real.npy",
            test="<results>/{dataset}/{encoder}/query_tokens.test.npy",
            test_real="<results>/{dataset}/{encoder}/query_tokens.test.real.npy",
        log:
            "<logs>/{dataset}/{encoder}/gather_tokens.log",
        benchmark:
            "<benchmarks>/{dataset}/{encoder}/gather_tokens.tsv"
        wildcard_constraints:
            encoder=of_kind("colbert"),
        message:
            "Gather the token vectors of {wildcards.encoder} on {wildcards.dataset}"

    use rule gather_vectors as gather_views with:
        input:
            vectors=parts("<results>/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/vectors.npy"),
            owner=parts("<results>/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/owner.npy"),
        output:
            vectors="<results>/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/vectors.npy",
            owner="<results>/{dataset}/{encoder}/{views}/beta{beta}-m{m_avg}/owner.npy",
        log:
            "<logs>/{dataset}/{encoder}/gather_{views}.beta{beta}-m{m_avg}.log",
        benchmark:
            "<benchmarks>/{dataset}/{encoder}/gather_{views}.beta{beta}-m{m_avg}.tsv"
        wildcard_constraints:
            views="mvg|token_views",
        message:
            "Gather the behavioural vectors over {wildcards.encoder} on {wildcards.dataset}"

    use rule gather_vectors as gather_ranking with:
        input:
            ranking=parts("<results>/{dataset}/runs/{wrapper}{encoder}.npz"),
        output:
            ranking="<results>/{dataset}/runs/{wrapper}{encoder}.npz",
        log:
            "<logs>/{dataset}/{encoder}/gather_ranking.{wrapper}{encoder}.log",
        benchmark:
            "<benchmarks>/{dataset}/{encoder}/gather_ranking.{wrapper}{encoder}.tsv"
        wildcard_constraints:
            encoder=ANY_ENCODER,
        message:
            "Gather the ranking of {wildcards.wrapper}{wildcards.encoder} on {wildcards.dataset}"
