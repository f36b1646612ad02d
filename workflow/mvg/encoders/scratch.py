"""``init: scratch``: a small BERT with random weights and a WordPiece vocabulary of the data.

For simulated data, whose words no pretrained model knows, and for tests without a network.
"""

from pathlib import Path

import torch
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel, BertTokenizerFast

VOCABULARY = 8000
SHAPE = dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512)
POSITIONS = 512
SPECIAL = dict(unk_token="[UNK]", sep_token="[SEP]", pad_token="[PAD]", cls_token="[CLS]", mask_token="[MASK]")


def build(folder, texts: list[str], seed: int = 0, vocabulary: int = VOCABULARY) -> None:
    """Write a model folder as the hub has them: tokenizer trained on ``texts``, random BERT weights.

    vocabulary: at most that many word pieces. The same texts and seed give the same bytes.
    """
    folder = Path(folder)
    # The tokenizers library puts [CLS] and [SEP] around a text only once a vocabulary is given, so
    # the trained one is read back by the class that knows BERT's post-processor.
    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train_from_iterator(texts, vocab_size=vocabulary, min_frequency=2, show_progress=False)
    tokenizer = BertTokenizerFast(vocab=trained.get_vocab(), model_max_length=POSITIONS, **SPECIAL)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=POSITIONS, **SHAPE)
    BertModel(config).save_pretrained(folder)
