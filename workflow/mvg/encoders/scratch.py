"""A small BERT with random weights and a WordPiece vocabulary of the dataset: ``init: scratch``.

Stands where pretrained weights would, for runs without a network and for simulated data, whose
words no pretrained vocabulary knows. Written as an ordinary Hugging Face folder, so that whatever
loads a pretrained model loads this one.
"""

import string

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}


def build(folder, texts, vocabulary, layers=2, dimension=128, heads=2, max_tokens=512, seed=0) -> None:
    """Train a vocabulary on ``texts``, draw weights, save both to ``folder``.

    vocabulary: most word pieces, special tokens and characters included
    max_tokens: longest text in word pieces, [CLS] and [SEP] included
    """
    tokenizer = train_wordpiece(texts, vocabulary, max_tokens)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=dimension,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * dimension,
        max_position_embeddings=max_tokens,
        pad_token_id=tokenizer.pad_token_id,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def train_wordpiece(texts, vocabulary: int, max_tokens: int = 512) -> PreTrainedTokenizerFast:
    """BERT's uncased tokenizer ([CLS] text [SEP]) with a vocabulary of its own, the same each time."""
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer(lowercase=True)
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    # The trainer numbers characters in an order that differs from run to run, and breaks ties by
    # number. Those named as special come first, in the given order, so name them all.
    seen = set(string.punctuation).union(*(pieces.normalizer.normalize_str(text) for text in texts))
    characters = sorted(c for c in seen if not c.isspace())
    first = [*SPECIAL.values(), *characters, *(f"##{c}" for c in characters)]
    pieces.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=vocabulary, special_tokens=first, show_progress=False)
    )
    # A second tokenizer of these pieces, to which only [CLS] and the like are special.
    tokenizer = Tokenizer(models.WordPiece(pieces.get_vocab(), unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = pieces.normalizer, pieces.pre_tokenizer
    tokenizer.decoder = decoders.WordPiece()
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=max_tokens, **SPECIAL)
