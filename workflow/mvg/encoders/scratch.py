"""``init: scratch``: a small BERT with random weights and a WordPiece vocabulary of the data.

For simulated data, whose words no pretrained model knows, and for tests without a network.
"""

import string
from pathlib import Path

import sentencepiece
import torch
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from transformers import BertConfig, BertModel, BertTokenizerFast

from .bags import train_tokenizer

VOCABULARY = 8000
SHAPE = dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512)
POSITIONS = 512
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def build(folder, texts: list[str], seed: int = 0, vocabulary: int = VOCABULARY) -> None:
    """Write a model folder in the hub's layout: a tokenizer trained on ``texts``, and random BERT weights.

    The same texts and seed give the same bytes.
    """
    pieces = word_pieces(texts, vocabulary)
    # This class puts [CLS] and [SEP] around a text; a bare WordPiece model would not.
    tokenizer = BertTokenizerFast(
        vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=True, model_max_length=POSITIONS
    )
    tokenizer.save_pretrained(Path(folder))
    torch.manual_seed(seed)
    config = BertConfig(vocab_size=len(pieces), max_position_embeddings=POSITIONS, **SHAPE)
    BertModel(config).save_pretrained(Path(folder))


def word_pieces(texts: list[str], vocabulary: int) -> list[str]:
    """BERT's special tokens, punctuation, every character, and about ``vocabulary`` pieces; ``##`` continues a word.

    The merges are SentencePiece's, because those of the tokenizers library change from run to run.
    """
    normalizer, splitter = BertNormalizer(lowercase=True), BertPreTokenizer()
    words = [" ".join(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))) for text in texts]
    characters = sorted({*"".join(words), *string.punctuation} - {" "})
    model = train_tokenizer(words, max(vocabulary, len(characters) + 100))
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    found = [processor.id_to_piece(i) for i in range(len(processor)) if not processor.is_control(i)]
    found = [piece for i, piece in enumerate(found) if piece.strip("▁") and i != processor.unk_id()]
    pieces = [piece[1:] if piece.startswith("▁") else f"##{piece}" for piece in found]
    return list(dict.fromkeys([*SPECIAL, *characters, *(f"##{c}" for c in characters), *pieces]))
