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

    vocabulary: most word pieces, special tokens and punctuation included
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
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def train_wordpiece(texts, vocabulary: int, max_tokens: int = 512) -> PreTrainedTokenizerFast:
    """BERT's uncased tokenizer ([CLS] text [SEP]) with a vocabulary of its own."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL.values()),
        initial_alphabet=list(string.punctuation),  # each its own piece, so that a skip list can name it
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=max_tokens, **SPECIAL)
