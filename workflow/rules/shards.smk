# If encoding, clustering and search run in several shards: join the parts in order.


if config["shards"] > 1:

    rule encode_dssm:
        input:
            corpus="<results>/{dataset}/data/corpus.jsonl",
            queries="<results>/{dataset}/data/queries.jsonl",
            model="<results>/{dataset}/{encoder}/model/dssm.safetensors",
            tokenizer="<results>/{dataset}/{encoder}/model/tokenizer.model",
        output:
            documents=sharded("<results>/{dataset}/{encoder}/documents.npy"),
            queries=sharded("<results>/{dataset}/{encoder}/queries.npy"),
        log:
            in_shards("<logs>/{dataset}/{encoder}/encode.log"),
        benchmark:
            in_shards("<benchmarks>/{dataset}/{encoder}/encode.tsv")
        wildcard_constraints:
            encoder=of_kind("dssm"),
        conda:
            "../../envs/encoders.yaml"
        threads: 1
        resources:
            mem_mb=megabytes(factor=10, base=1000, shared=TEXTS),
            runtime=60,
        params:
            shard=shard_of,
            settings=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
            behind=behind_vectors,
        message:
            "DSSM: encode {wildcards.dataset} with {wildcards.encoder}"
        script:
            "../scripts/encode_dssm.py"

    rule encode_sbert:
        input:
            corpus="<results>/{dataset}/data/corpus.jsonl",
            queries="<results>/{dataset}/data/queries.jsonl",
            model="<results>/{dataset}/{encoder}/model",
        output:
            documents=sharded("<results>/{dataset}/{encoder}/documents.npy"),
            queries=sharded("<results>/{dataset}/{encoder}/queries.npy"),
        log:
            in_shards("<logs>/{dataset}/{encoder}/encode.log"),
        benchmark:
            in_shards("<benchmarks>/{dataset}/{encoder}/encode.tsv")
        wildcard_constraints:
            encoder=of_kind("sbert"),
        conda:
            "../../envs/encoders.yaml"
        threads: torch_threads
        resources:
            **GPU,
            mem_mb=megabytes(factor=20, base=3000, shared=TEXTS),
            runtime=240,
        params:
            shard=shard_of,
            settings=lambda wildcards: or_one_line(plan.encoder, wildcards.dataset, wildcards.encoder),
            threads=torch_threads,
            device=config["device"],
            behind=behind_vectors,
        message:
            "SBERT: encode {wildcards.dataset} with {wildcards.encoder}"
        script:
            "../scripts/encode_pretrained.py"

    rule encode_colbert:
        input:
            **PAIRS,
            corpus="<results>/{dataset}/data/corpus.jsonl",
            queries="<results>/{dataset}/data/queries.jsonl",
            model="<results>/{dataset}/{encoder}/colbert",
        output:
            **{name: sharded(path) for name, path in TOKENS.items()},
        log:
            in_shards("<logs>/{dataset}/{encoder}/encode.log"),
        benchmark:
            in_shards("<benchmarks>/{dataset}/{encoder}/encode.tsv")
        conda:
            "../../envs/encoders.yaml"
        threads: torch_threads
        resources:
            **GPU,
            mem_mb=megabytes(factor=100, base=2000, shared=TEXTS),
            runtime=120,
        params:
            shard=shard_of,
            threads=torch_threads,
            device=config["device"],
            behind=behind_vectors,
        message:
            "ColBERT: encode {wildcards.dataset} with {wildcards.encoder}"
        script:
            "../scripts/encode_colbert.py"

    rule gather_vectors:
        input:
            **{name: parts(path) for name, path in VECTORS.items()},
        output:
            **VECTORS,
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
            **{name: parts(path) for name, path in TOKENS.items()},
        output:
            **TOKENS,
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
